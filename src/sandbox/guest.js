/**
 * Evaluated, as an expression, in a fresh realm before anything else; what it returns is kept by the host and never seen by the guest. It closes over
 * pristine built-ins and uses no method, iterator or setter that a guest could replace: strings grow by `+=`, lists are read by index.
 * Takes the most characters of an encoding.
 */
// oxlint-disable-next-line no-unused-vars -- what the whole file is, once the host has put brackets around it
function prepare(mostText) {
  "use strict";
  const { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, is } = Object;
  const { apply, construct, ownKeys } = Reflect;
  const { isArray } = Array;
  const { parse, stringify } = JSON;
  const { imul } = Math;
  const { isFinite } = Number;
  const [ObjectPrototype, ArrayPrototype, Text, Failure, Mistake] = [Object.prototype, Array.prototype, String, Error, TypeError];
  const unbound = (method) => (self, ...args) => apply(method, self, args);
  const [RealProxy, realRevocable] = [Proxy, Proxy.revocable];
  const proxies = new WeakSet();
  const isKnown = unbound(WeakSet.prototype.has);
  const note = unbound(WeakSet.prototype.add);
  const eachOfMap = unbound(Map.prototype.forEach);
  const eachOfSet = unbound(Set.prototype.forEach);
  const sizeOfMap = unbound(getOwnPropertyDescriptor(Map.prototype, "size").get);
  const sizeOfSet = unbound(getOwnPropertyDescriptor(Set.prototype, "size").get);

  const define = (target, name, value) => defineProperty(target, name, { __proto__: null, value, writable: false, configurable: false, enumerable: false });

  // A proxy cannot be told from its target later on, so all of them are noted as they are made.
  function GuestProxy(target, handler) {
    if (new.target === undefined) throw new Mistake("a proxy is made with new");
    const proxy = construct(RealProxy, [target, handler]);
    note(proxies, proxy);
    return proxy;
  }
  define(GuestProxy, "revocable", (target, handler) => {
    const made = apply(realRevocable, RealProxy, [target, handler]);
    note(proxies, made.proxy);
    return made;
  });
  defineProperty(globalThis, "Proxy", { __proto__: null, value: GuestProxy, writable: true, configurable: true, enumerable: false });

  delete globalThis.SharedArrayBuffer;

  let drawn = 0;
  const reseed = (seed) => {
    drawn = seed | 0;
  };
  Math.random = () => {
    drawn = (drawn + 0x6d2b79f5) | 0;
    let x = imul(drawn ^ (drawn >>> 15), 1 | drawn);
    x = (x + imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };

  const nothing = () => undefined;
  const assert = (condition, message) => {
    if (!condition) throw new Failure(typeof message === "string" ? message : "an assertion failed");
  };
  const quiet = { __proto__: null, assert, log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing, table: nothing };
  defineProperty(globalThis, "console", { __proto__: null, value: freeze(quiet), writable: true, configurable: true, enumerable: false });

  const DEEPEST = 100;
  const tag = (name) => '{"$":"' + name + '"}';
  let written = 0;
  const spend = (text) => {
    written += text.length;
    if (written > mostText) throw new Failure("the answer is too large");
    return text;
  };

  function encodeNumber(value) {
    if (is(value, -0)) return tag("-0");
    return isFinite(value) ? "" + value : tag("" + value);
  }
  function encodeArray(value, depth) {
    const length = getOwnPropertyDescriptor(value, "length").value;
    let text = "[";
    let present = 0;
    for (let index = 0; index < length; index += 1) {
      if (index > 0) text += ",";
      const property = getOwnPropertyDescriptor(value, index);
      if (property === undefined) text += spend(tag("hole"));
      else {
        present += 1;
        text += hasOwn(property, "value") ? encode(property.value, depth + 1) : spend(tag("accessor"));
      }
    }
    return ownKeys(value).length === present + 1 ? text + "]" : tag("instance");
  }
  function encodeRecord(value, depth) {
    const keys = ownKeys(value);
    const dollar = hasOwn(value, "$");
    let text = dollar ? '{"$":"record","entries":[' : "{";
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index];
      if (typeof key === "symbol") return tag("instance");
      const property = getOwnPropertyDescriptor(value, key);
      const part = hasOwn(property, "value") && property.enumerable ? encode(property.value, depth + 1) : spend(tag("accessor"));
      if (index > 0) text += ",";
      text += dollar ? "[" + spend(stringify(key)) + "," + part + "]" : spend(stringify(key)) + ":" + part;
    }
    return text + (dollar ? "]}" : "}");
  }
  /** The size getters throw for what is no map, or no set. */
  const isMap = (value) => {
    try {
      return sizeOfMap(value) >= 0;
    } catch {
      return false;
    }
  };
  const isSet = (value) => {
    try {
      return sizeOfSet(value) >= 0;
    } catch {
      return false;
    }
  };
  function encodeObject(value, depth) {
    if (depth > DEEPEST) throw new Failure("the answer is nested too deeply");
    if (isKnown(proxies, value)) return tag("proxy");
    const prototype = getPrototypeOf(value);
    if (isArray(value)) return prototype === ArrayPrototype ? encodeArray(value, depth) : tag("instance");
    if (isMap(value)) {
      let text = "";
      eachOfMap(value, (part, key) => {
        text += (text === "" ? "" : ",") + "[" + encode(key, depth + 1) + "," + encode(part, depth + 1) + "]";
      });
      return '{"$":"map","entries":[' + text + "]}";
    }
    if (isSet(value)) {
      let text = "";
      eachOfSet(value, (part) => {
        text += (text === "" ? "" : ",") + encode(part, depth + 1);
      });
      return '{"$":"set","entries":[' + text + "]}";
    }
    return prototype === ObjectPrototype || prototype === null ? encodeRecord(value, depth) : tag("instance");
  }
  /** JSON text; what JSON cannot say is an object whose first key is "$". */
  function encode(value, depth) {
    if (value === null) return spend("null");
    switch (typeof value) {
      case "string": return spend(stringify(value));
      case "number": return spend(encodeNumber(value));
      case "boolean": return spend(value ? "true" : "false");
      case "bigint": return spend('{"$":"bigint","value":"' + value + '"}');
      case "object": return encodeObject(value, depth);
      default: return spend(tag(typeof value));
    }
  }
  const encoded = (value) => {
    written = 0;
    return encode(value, 0);
  };

  /** The answer to a call, as JSON text. */
  function invoke(callee, argsText) {
    if (typeof callee !== "function") throw new Mistake("there is no such function");
    const args = parse(argsText);
    const value = apply(callee, undefined, args);
    return '{"kind":"value","value":' + encoded(value) + ',"changed":' + (encoded(args) !== encoded(parse(argsText))) + "}";
  }

  /** A text property, own or inherited, read without running a getter. */
  function textOf(thrown, name) {
    let holder = thrown;
    for (let step = 0; step < 8 && holder !== null && !isKnown(proxies, holder); step += 1) {
      const property = getOwnPropertyDescriptor(holder, name);
      if (property !== undefined) return hasOwn(property, "value") && typeof property.value === "string" ? property.value : "";
      holder = getPrototypeOf(holder);
    }
    return "";
  }
  /** What was thrown, as text: "RangeError: invalid array length". */
  function describe(thrown) {
    if ((typeof thrown !== "object" && typeof thrown !== "function") || thrown === null) return typeof thrown === "symbol" ? "a symbol" : Text(thrown);
    const name = textOf(thrown, "name");
    return name === "" ? "something that is no error" : name + ": " + textOf(thrown, "message");
  }
  return { __proto__: null, reseed, invoke, describe };
}
