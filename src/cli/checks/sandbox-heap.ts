import { Realm } from "#sandbox/realm.ts";
import { compileEngine } from "../code-runner.ts";
import type { Check } from "./registry.ts";

const EPISODES = 5_000;
const CALLS = 20;
const STEPS = 1_000_000;

/** Episodes of all sorts in one engine: its memory must not grow, and the last must run as the first did. */
const PROGRAMS: readonly ((index: number) => string)[] = [
  (index) => `function f(a) { const list = [${index}]; list.push(a, [a], { a }); return list; }`,
  (index) => `globalThis.left = []; for (let i = 0; i < 500; i += 1) left.push({ i, text: "x" + i }); function f(a) { left.push(a); return left.length + ${index}; }`,
  (index) => `function f(a) { throw new Error("no " + a + ${index}); }`,
  (index) => `Promise.resolve(${index}).then((value) => { globalThis.left = value; }); function f(a) { return [a, typeof left]; }`,
  (index) => `function f(a) { return f(a) + ${index}; }`,
  (index) => `for (let i = ${index}; ; i += 1);`,
];

export const sandboxHeap: Check = {
  async run(progress) {
    const realm = await Realm.open(await compileEngine());
    const calls = Array.from({ length: CALLS }, (_, index) => ({ name: "f", args: [index] }));
    const first = PROGRAMS.map((program) => JSON.stringify(realm.run(program(0), calls, STEPS)));
    const before = realm.memory.buffer.byteLength;
    let spent = 0;
    const since = performance.now();
    for (let index = 1; index <= EPISODES; index += 1) {
      const program = PROGRAMS[index % PROGRAMS.length];
      if (program && realm.run(program(index), calls, STEPS).spent) spent += 1;
      if (index % 1000 === 0) progress(`${index} of ${EPISODES} episodes`);
    }
    const seconds = (performance.now() - since) / 1000;
    const grown = realm.memory.buffer.byteLength - before;
    const same = PROGRAMS.every((program, index) => JSON.stringify(realm.run(program(0), calls, STEPS)) === first[index]);
    return {
      passed: grown === 0 && spent === 0 && same,
      figures: {
        episodes: EPISODES, "bytes of memory before": before, "bytes grown": grown, "engines used up": spent, "last runs as the first": String(same),
        "episodes a second, loops without end among them": Math.round(EPISODES / seconds),
      },
    };
  },
};
