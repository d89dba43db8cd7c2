// Lists what a change of a JSON Schema breaks for clients that send its values and for clients that read them. Pure.

export type Schema = Record<string, unknown>;
export type Document = Record<string, unknown>;

/** Where the schema is used. A request breaks clients when it accepts less, a response when it can contain more. */
export type Side = "request" | "response";

export type Change = { at: string; what: string };

type SchemaPair = { before: unknown; after: unknown; at: string };
type Context = { old: Document; new: Document; side: Side; seen: Set<string> };

/** Returns every breaking change between two schemas, each with the path of the member. */
export function schemaChanges(pair: SchemaPair, context: Omit<Context, "seen">): Change[] {
  return compareSchemas(pair, { ...context, seen: new Set() });
}

function compareSchemas({ before: was, after: is, at }: SchemaPair, context: Context): Change[] {
  const references = `${referenceOf(was)} ${referenceOf(is)}`;
  if (referenceOf(was) && context.seen.has(references)) return []; // the schema contains itself
  const seen = new Set(context.seen).add(references);
  const before = resolve(was, context.old);
  const after = resolve(is, context.new);
  const deeper = { ...context, seen };
  return [
    ...typeChanges(before, after, context.side).map((what) => ({ at, what })),
    ...valueChanges(before, after, context.side).map((what) => ({ at, what })),
    ...(context.side === "request" ? constraintChanges(before, after) : []).map((what) => ({ at, what })),
    ...memberChanges(before, after, at, deeper),
    ...itemChanges(before, after, at, deeper),
  ];
}

function typeChanges(before: Schema, after: Schema, side: Side): string[] {
  const was = typesOf(before);
  const is = typesOf(after);
  if (was.has("any") && is.has("any")) return [];
  const removed = [...was].filter((type) => !is.has(type) && !(type === "integer" && is.has("number")));
  const added = [...is].filter((type) => !was.has(type) && !(type === "integer" && was.has("number")));
  if (side === "request" && !is.has("any")) return removed.map((type) => `no longer accepts ${type}`);
  if (side === "response" && !was.has("any")) return added.map((type) => `can now be ${type}`);
  return [];
}

/** The types that a schema allows; those of all alternatives for `anyOf` and `oneOf`. */
function typesOf(schema: Schema): Set<string> {
  const choices = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (choices.length > 0) return new Set(choices.flatMap((choice) => (referenceOf(choice) ? [referenceOf(choice)] : [...typesOf(choice)])));
  if (Array.isArray(schema.type)) return new Set(schema.type as string[]);
  if (typeof schema.type === "string") return new Set([schema.type]);
  return new Set(["any"]);
}

function valueChanges(before: Schema, after: Schema, side: Side): string[] {
  const was = valuesOf(before);
  const is = valuesOf(after);
  if (side === "request")
    return is === null ? [] : (was ?? ["any value"]).filter((value) => !is.includes(value)).map((value) => `no longer accepts ${value}`);
  return was === null ? [] : (is ?? ["any value"]).filter((value) => !was.includes(value)).map((value) => `can now be ${value}`);
}

/** The codes that a problem may have; none when it may be anything. */
export function codesIn(object: unknown, document: Document): string[] {
  const { properties = {} } = resolve(object, document) as { properties?: Record<string, unknown> };
  return choicesOf(properties.code, document).map(String);
}

function choicesOf(node: unknown, document: Document): unknown[] {
  const schema = resolve(node, document);
  const choices = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (choices.length > 0) return choices.flatMap((choice) => choicesOf(choice, document));
  return "const" in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : [];
}

function valuesOf(schema: Schema): string[] | null {
  if ("const" in schema) return [JSON.stringify(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)) : null;
}

const lowerBounds = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const upperBounds = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

function constraintChanges(before: Schema, after: Schema): string[] {
  const of = (schema: Schema, keyword: string, none: number) => (typeof schema[keyword] === "number" ? schema[keyword] : none);
  const raised = lowerBounds.filter((keyword) => of(after, keyword, -Infinity) > of(before, keyword, -Infinity));
  const lowered = upperBounds.filter((keyword) => of(after, keyword, Infinity) < of(before, keyword, Infinity));
  const said = (keyword: string) => `${keyword} was ${before[keyword] ?? "unset"} and is ${after[keyword]}`;
  const pattern = after.pattern !== undefined && after.pattern !== before.pattern ? ["the pattern changed and may accept less"] : [];
  const unique = after.uniqueItems === true && before.uniqueItems !== true ? ["items must now be unique"] : [];
  const closed = after.additionalProperties === false && before.additionalProperties !== false ? ["no longer accepts unknown members"] : [];
  return [...raised.map(said), ...lowered.map(said), ...pattern, ...unique, ...closed, ...defaultChanges(before, after)];
}

/** What a client has left out until now means something else. */
function defaultChanges({ default: was }: Schema, { default: is }: Schema): string[] {
  const [before, after] = [JSON.stringify(was), JSON.stringify(is)];
  if (before === undefined || before === after) return [];
  return [after === undefined ? `the default was ${before}, and there is none` : `the default was ${before} and is ${after}`];
}

function memberChanges(before: Schema, after: Schema, at: string, context: Context): Change[] {
  const was = (before.properties ?? {}) as Record<string, unknown>;
  const is = (after.properties ?? {}) as Record<string, unknown>;
  const required = (schema: Schema, name: string) => Array.isArray(schema.required) && schema.required.includes(name);
  const changes: Change[] = [];
  for (const name of Object.keys(was)) {
    const path = `${at}/${name}`;
    if (!(name in is))
      changes.push(...(context.side === "response" || after.additionalProperties === false ? [{ at: path, what: "was removed" }] : []));
    else changes.push(...compareSchemas({ before: was[name], after: is[name], at: path }, context));
    if (context.side === "response" && name in is && required(before, name) && !required(after, name))
      changes.push({ at: path, what: "can now be missing" });
  }
  for (const name of Object.keys(is))
    if (context.side === "request" && required(after, name) && !required(before, name))
      changes.push({ at: `${at}/${name}`, what: "is now required" });
  return changes;
}

function itemChanges(before: Schema, after: Schema, at: string, context: Context): Change[] {
  return before.items && after.items ? compareSchemas({ before: before.items, after: after.items, at: `${at}/*` }, context) : [];
}

function referenceOf(schema: unknown): string {
  return String((schema as { $ref?: string } | null)?.$ref ?? "");
}

/** Resolves `$ref`; keywords beside it override those of its target (JSON Schema 2020-12 8.2.3.1). */
function resolve(schema: unknown, document: Document): Schema {
  const { $ref, ...beside } = (schema ?? {}) as Schema & { $ref?: string };
  if (!$ref) return beside;
  const names = $ref.slice(2).split("/");
  const target = names.reduce<unknown>((node, name) => (node as Document)[name.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  return { ...resolve(target, document), ...beside };
}
