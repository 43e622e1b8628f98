import type * as v from "valibot";

/** An object schema whose fields forms can list; `v.strictObject`, with or without checks piped behind it. */
export type FieldsSchema = v.GenericSchema & { readonly entries: v.ObjectEntries };

/** What the run configuration and the forms need of a registry entry; its id is the registry's key. */
export interface Entry<S extends FieldsSchema = FieldsSchema> {
  readonly id: string;
  readonly title: string;
  /** Every field required; titles, units and ranges stand in its metadata. */
  readonly schema: S;
  readonly defaults: v.InferOutput<S>;
}

export type Registry = Readonly<Record<string, Entry>>;

/** The configuration of one entry of a registry, told apart by `id`. */
export type ChoiceOf<R extends Registry> = {
  [K in keyof R & string]: { readonly id: K } & Readonly<v.InferOutput<R[K]["schema"]>>;
}[keyof R & string];
