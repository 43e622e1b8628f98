import { LinkError } from "#core/errors.ts";
import { PRESETS, type PresetId, type RunConfig } from "#run/run-config.ts";
import { EXTRA_NAMES, NO_EXTRAS, readExtras, writtenEvidence, writtenExtras, type LinkExtras } from "./link-extras.ts";
import { applySettings, settingsFrom, type LinkNote, type Parameter } from "./link-settings.ts";

export type { LinkNote, Parameter };

/** Of what this page writes. Older ones stay readable for ever; of newer ones what is known is taken. */
const LINK_VERSION = 1;
/** Up to here a link stays readable. */
const READABLE_LIMIT = 600;
/** No link that this page writes is longer, none that is longer is read. */
export const LINK_LIMIT = 8_000;
const DEFAULT_PRESET: PresetId = "refund-desk";

/** What is looked at; counted from 0, updates as the run counts them. */
export interface LinkView {
  readonly update: number;
  readonly selection: { readonly member: number; readonly turn: number } | null;
}

export interface RunLink {
  readonly config: RunConfig;
  readonly view: LinkView | null;
  /** Parameters that this page does not know and passes on. */
  readonly unknown: readonly Parameter[];
}

export interface LinkReading extends RunLink {
  readonly extras: LinkExtras;
  readonly version: number;
  readonly notes: readonly LinkNote[];
}

/** Names beside the dotted settings. */
const [VERSION, PRESET, SEED, PACKED] = ["v", "p", "s", "z"];
const VIEW = [
  { name: "u", last: 5000 },
  { name: "m", last: 63 },
  { name: "t", last: 127 },
] as const;

/** Halves of characters cannot be escaped. */
const escaped = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\ufffd"));

/** Loaded for long links only: most people never meet one. @throws LinkError where it cannot be */
const packing = () =>
  import("./link-pack.ts").catch(() => {
    throw new LinkError("the part of the page that packs links could not be loaded: check the connection", { fault: "not-loaded" });
  });

const written = (parameters: readonly Parameter[]): string => parameters.map(([name, text]) => `${escaped(name)}=${escaped(text)}`).join("&");

/**
 * The address's fragment: readable differences from the preset, packed where that would be long, then what else it carries. What it
 * carries is left out where it would be longer than `LINK_LIMIT`: first what is unknown, then the evidence.
 */
export async function encodeRunLink({ config, view, unknown }: RunLink, extras: LinkExtras = NO_EXTRAS): Promise<string> {
  const settings = settingsFrom(PRESETS[config.preset], config).filter(([path]) => path !== "seed");
  const looked: readonly Parameter[] =
    view === null ? [] : [["u", String(view.update)], ...(view.selection === null ? [] : ([["m", String(view.selection.member)], ["t", String(view.selection.turn)]] as const))];
  const fragment = async (more: readonly Parameter[]): Promise<string> => {
    const content = written([[PRESET, config.preset], ...settings, [SEED, String(config.seed)], ...looked, ...writtenExtras(extras), ...more]);
    const readable = `#/play?${VERSION}=${LINK_VERSION}&${content}`;
    if (readable.length <= READABLE_LIMIT) return readable;
    const { pack } = await packing();
    return `#/play?${VERSION}=${LINK_VERSION}&${PACKED}=${pack(content)}`;
  };
  const evidence = writtenEvidence(extras);
  const whole = await fragment(unknown);
  if (whole.length + evidence.length <= LINK_LIMIT) return whole + evidence;
  const bare = await fragment([]);
  return bare.length + evidence.length <= LINK_LIMIT ? bare + evidence : bare;
}

/** The parameters behind `#/play?`; null where the fragment carries none. @throws LinkError when it cannot be read. */
function parametersOf(fragment: string): readonly Parameter[] | null {
  const query = /^#?\/?play\/?\?(.*)$/s.exec(fragment)?.[1] ?? "";
  if (query === "") return null;
  if (fragment.length > LINK_LIMIT) throw new LinkError(`the link has ${fragment.length} characters; allowed are up to ${LINK_LIMIT}`, { fault: "too-long" });
  return split(query);
}

function split(query: string): readonly Parameter[] {
  return query.split("&").filter((part) => part !== "").map((part) => {
    const at = part.indexOf("=");
    const [name, text] = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    try {
      return [decodeURIComponent(name), decodeURIComponent(text)];
    } catch {
      throw new LinkError(`the link has a broken escape in “${part.slice(0, 60)}”`, { fault: "escape" });
    }
  });
}

function versionOf(parameters: readonly Parameter[]): number {
  const text = parameters.find(([name]) => name === VERSION)?.[1];
  if (text === undefined) throw new LinkError("the link does not say its version (v=1)", { fault: "version-missing" });
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new LinkError(`the link's version is “${text.slice(0, 20)}”; allowed: a whole number from 1`, { fault: "version" });
  return Number(text);
}

/** The first of each name. */
function unique(parameters: readonly Parameter[], notes: LinkNote[]): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  for (const [name, text] of parameters)
    if (!seen.has(name)) seen.set(name, text);
    else notes.push({ kind: "repeated", key: name, message: `“${name}” stands in the link more than once: the first counts` });
  return seen;
}

/**
 * What a fragment says; null where it says nothing (`#/play`, `#/about`). Whatever is wrong with single parameters is told in the notes.
 * @throws LinkError when it cannot be read at all.
 */
export async function decodeRunLink(fragment: string): Promise<LinkReading | null> {
  const outer = parametersOf(fragment);
  if (outer === null) return null;
  const version = versionOf(outer);
  const packed = outer.filter(([name]) => name === PACKED);
  const unpack = packed.length > 0 ? (await packing()).unpack : null;
  const inner = packed.flatMap(([, text]) => (unpack === null ? [] : split(unpack(text))));
  const notes: LinkNote[] = [];
  if (version > LINK_VERSION)
    notes.push({ kind: "newer", key: VERSION, message: `The link is of version ${version}, this page reads version ${LINK_VERSION}: what it knows is loaded` });
  const named = unique([...outer.filter(([name]) => name !== PACKED && name !== VERSION), ...inner.filter(([name]) => name !== VERSION && name !== PACKED)], notes);

  const presetText = named.get(PRESET) ?? DEFAULT_PRESET;
  const preset = Object.values(PRESETS).find((known) => known.preset === presetText);
  if (preset === undefined)
    notes.push({ kind: "refused", key: PRESET, message: `There is no preset “${presetText.slice(0, 60)}”: the settings are put over ${DEFAULT_PRESET}` });
  const seed = named.get(SEED);
  const own: ReadonlySet<string> = new Set([PRESET, SEED, ...VIEW.map(({ name }) => name), ...EXTRA_NAMES]);
  const settings: readonly Parameter[] = [...(seed === undefined ? [] : [["seed", seed] as const]), ...[...named].filter(([name]) => !own.has(name) && !(name === "seed" && seed !== undefined))];
  const applied = applySettings(preset ?? PRESETS[DEFAULT_PRESET], settings);
  return { version, config: applied.config, unknown: applied.unknown, view: viewOf(named, notes), extras: readExtras(named, notes), notes: [...notes, ...applied.notes] };
}

function viewOf(named: ReadonlyMap<string, string>, notes: LinkNote[]): LinkView | null {
  const [update, member, turn] = VIEW.map(({ name, last }) => {
    const text = named.get(name);
    if (text === undefined) return null;
    if (/^\d{1,6}$/.test(text) && Number(text) <= last) return Number(text);
    notes.push({ kind: "refused", key: name, message: `${name} is “${text.slice(0, 20)}”; allowed: a whole number from 0 to ${last}. It is left out` });
    return null;
  });
  if (update === undefined || update === null) return null;
  return { update, selection: member == null || turn == null ? null : { member, turn } };
}
