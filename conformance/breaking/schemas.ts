// What a change of a JSON Schema breaks, for whoever sends values of it and for whoever reads them. Pure.

export type Schema = Record<string, unknown>;
export type Document = Record<string, unknown>;

/** Who is hurt by a change: senders when less is accepted, readers when more can come. */
export type Side = "request" | "response";

export type Change = { at: string; what: string };

type Compared = { before: unknown; after: unknown; at: string };
type Context = { old: Document; new: Document; side: Side; seen: Set<string> };

/** Every breaking change between two schemas, each with the path of the member. */
export function schemaChanges(pair: Compared, context: Omit<Context, "seen">): Change[] {
  return compare(pair, { ...context, seen: new Set() });
}

function compare({ before: was, after: is, at }: Compared, context: Context): Change[] {
  const references = `${reference(was)} ${reference(is)}`;
  if (reference(was) && context.seen.has(references)) return []; // a schema that contains itself
  const seen = new Set(context.seen).add(references);
  const before = resolved(was, context.old);
  const after = resolved(is, context.new);
  const deeper = { ...context, seen };
  return [
    ...types(before, after, context.side).map((what) => ({ at, what })),
    ...values(before, after, context.side).map((what) => ({ at, what })),
    ...(context.side === "request" ? narrowed(before, after) : []).map((what) => ({ at, what })),
    ...members(before, after, at, deeper),
    ...items(before, after, at, deeper),
  ];
}

function types(before: Schema, after: Schema, side: Side): string[] {
  const was = typesOf(before);
  const is = typesOf(after);
  if (was.has("any") && is.has("any")) return [];
  const lost = [...was].filter((type) => !is.has(type) && !(type === "integer" && is.has("number")));
  const gained = [...is].filter((type) => !was.has(type) && !(type === "integer" && was.has("number")));
  if (side === "request" && !is.has("any")) return lost.map((type) => `no longer takes ${type}`);
  if (side === "response" && !was.has("any")) return gained.map((type) => `can now be ${type}`);
  return [];
}

/** `anyOf` and `oneOf` are a choice of types. */
function typesOf(schema: Schema): Set<string> {
  const choices = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (choices.length > 0) return new Set(choices.flatMap((choice) => (reference(choice) ? [reference(choice)] : [...typesOf(choice)])));
  if (Array.isArray(schema.type)) return new Set(schema.type as string[]);
  if (typeof schema.type === "string") return new Set([schema.type]);
  return new Set(["any"]);
}

function values(before: Schema, after: Schema, side: Side): string[] {
  const was = valuesOf(before);
  const is = valuesOf(after);
  if (side === "request")
    return is === null ? [] : (was ?? ["any value"]).filter((value) => !is.includes(value)).map((value) => `no longer takes ${value}`);
  return was === null ? [] : (is ?? ["any value"]).filter((value) => !was.includes(value)).map((value) => `can now be ${value}`);
}

function valuesOf(schema: Schema): string[] | null {
  if ("const" in schema) return [JSON.stringify(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)) : null;
}

const lowest = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const highest = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

function narrowed(before: Schema, after: Schema): string[] {
  const of = (schema: Schema, keyword: string, none: number) => (typeof schema[keyword] === "number" ? (schema[keyword] as number) : none);
  const raised = lowest.filter((keyword) => of(after, keyword, -Infinity) > of(before, keyword, -Infinity));
  const lowered = highest.filter((keyword) => of(after, keyword, Infinity) < of(before, keyword, Infinity));
  const said = (keyword: string) => `${keyword} was ${before[keyword] ?? "not there"} and is ${after[keyword]}`;
  const pattern = after.pattern !== undefined && after.pattern !== before.pattern ? ["another pattern: may take less"] : [];
  const unique = after.uniqueItems === true && before.uniqueItems !== true ? ["items must be unique now"] : [];
  const closed = after.additionalProperties === false && before.additionalProperties !== false ? ["no longer takes other members"] : [];
  return [...raised.map(said), ...lowered.map(said), ...pattern, ...unique, ...closed];
}

function members(before: Schema, after: Schema, at: string, context: Context): Change[] {
  const was = (before.properties ?? {}) as Record<string, unknown>;
  const is = (after.properties ?? {}) as Record<string, unknown>;
  const required = (schema: Schema, name: string) => Array.isArray(schema.required) && schema.required.includes(name);
  const changes: Change[] = [];
  for (const name of Object.keys(was)) {
    const path = `${at}/${name}`;
    if (!(name in is))
      changes.push(...(context.side === "response" || after.additionalProperties === false ? [{ at: path, what: "is gone" }] : []));
    else changes.push(...compare({ before: was[name], after: is[name], at: path }, context));
    if (context.side === "response" && name in is && required(before, name) && !required(after, name))
      changes.push({ at: path, what: "can now be missing" });
  }
  for (const name of Object.keys(is))
    if (context.side === "request" && required(after, name) && !required(before, name))
      changes.push({ at: `${at}/${name}`, what: "is required now" });
  return changes;
}

function items(before: Schema, after: Schema, at: string, context: Context): Change[] {
  return before.items && after.items ? compare({ before: before.items, after: after.items, at: `${at}/*` }, context) : [];
}

function reference(schema: unknown): string {
  return String((schema as { $ref?: string } | null)?.$ref ?? "");
}

/** What a `$ref` points to, with the keywords beside it on top (JSON Schema 2020-12 8.2.3.1). */
function resolved(schema: unknown, document: Document): Schema {
  const { $ref, ...beside } = (schema ?? {}) as Schema & { $ref?: string };
  if (!$ref) return beside;
  const names = $ref.slice(2).split("/");
  const target = names.reduce<unknown>((node, name) => (node as Document)[name.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  return { ...resolved(target, document), ...beside };
}
