// Faults of values: converts errors of the validator into the place, the code of the rule, and a message; and shortens bodies that have thousands.

import type { ErrorObject } from "ajv";
import { type Fault, maxFaults } from "../problem.ts";

type Rule = { code: Fault["code"]; describe: (error: ErrorObject) => string };

const rules: Record<string, Rule> = {
  required: { code: "required", describe: () => "is required" },
  type: { code: "invalid_type", describe: ({ params }) => `must be ${typeInWords(params.type)}` },
  minLength: { code: "too_short", describe: ({ params }) => `must have at least ${counted(params.limit, "character")}` },
  maxLength: { code: "too_long", describe: ({ params }) => `must have at most ${counted(params.limit, "character")}` },
  minItems: { code: "too_few_items", describe: ({ params }) => `must have at least ${counted(params.limit, "item")}` },
  maxItems: { code: "too_many_items", describe: ({ params }) => `must have at most ${counted(params.limit, "item")}` },
  uniqueItems: { code: "not_unique", describe: () => "must not name the same item twice" },
  minimum: { code: "out_of_range", describe: ({ params }) => `must be at least ${params.limit}` },
  maximum: { code: "out_of_range", describe: ({ params }) => `must be at most ${params.limit}` },
  exclusiveMinimum: { code: "out_of_range", describe: ({ params }) => `must be greater than ${params.limit}` },
  exclusiveMaximum: { code: "out_of_range", describe: ({ params }) => `must be less than ${params.limit}` },
  enum: { code: "invalid_enum", describe: ({ params }) => `must be one of: ${params.allowedValues.join(", ")}` },
  const: { code: "invalid_enum", describe: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}` },
  pattern: { code: "invalid_format", describe: ({ parentSchema }) => `must have the documented form${example(parentSchema)}` },
  additionalProperties: { code: "unknown_member", describe: () => "is not a member of this body" },
};

const counted = (limit: number, thing: string) => `${limit} ${thing}${limit === 1 ? "" : "s"}`;

/**
 * Faults of a request body, each with its JSON pointer (RFC 6901). `errors`: from a validator whose data is `{ requestBody }`.
 * Throws an Error for a keyword of the contract that has no fault code.
 */
export function bodyFaults(errors: readonly ErrorObject[]): Fault[] {
  return dropImpliedErrors(keepMatchingBranch(errors)).map((error) => ({
    pointer: pointerOf(error).slice("/requestBody".length),
    ...faultOf(error),
  }));
}

/**
 * Faults of parameters. `errors`: from a validator whose data is `{ query, path, header, … }`. `headers`: names of header parameters as the
 * contract writes them, because the validator knows them in lower case.
 */
export function parameterFaults(errors: readonly ErrorObject[], headers: readonly string[] = []): Fault[] {
  return dropImpliedErrors(errors).map((error) => {
    const [, place, name = ""] = pointerOf(error).split("/");
    const written = place === "header" ? headers.find((header) => header.toLowerCase() === name) : name;
    return { parameter: written ?? name, ...faultOf(error) };
  });
}

/**
 * Of the errors of a choice (`anyOf`, such as an object or null) only those of the branch with the type of the value are kept. When no branch
 * has it, the wrong type is the only error.
 */
function keepMatchingBranch(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === "anyOf");
  return choices.reduce((left: readonly ErrorObject[], choice) => {
    const mistyped = left.filter(({ keyword, instancePath }) => keyword === "type" && instancePath === choice.instancePath);
    const others = left.filter((error) => error !== choice && !mistyped.includes(error));
    if (mistyped.length < (choice.schema as unknown[]).length) return others;
    const [first] = mistyped as [ErrorObject];
    return [...others, { ...first, params: { type: mistyped.flatMap(({ params }) => params.type as string) } }];
  }, errors);
}

/** Of a value with a wrong type only this error is kept: that the number 0 is not in an enum of strings adds nothing. */
function dropImpliedErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === "type").map(({ instancePath }) => instancePath));
  return errors.filter(({ keyword, instancePath }) => keyword === "type" || !mistyped.has(instancePath));
}

function faultOf(error: ErrorObject): Pick<Fault, "code" | "message"> {
  const rule = rules[error.keyword];
  if (!rule) throw new Error(`no fault code for the keyword "${error.keyword}" of the contract`);
  return { code: rule.code, message: rule.describe(error) };
}

/** The JSON pointer of the member at fault. A missing or unknown member is named itself, not the object that contains it. */
function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === "required") return `${instancePath}/${escapePointer(params.missingProperty)}`;
  if (keyword === "additionalProperties") return `${instancePath}/${escapePointer(params.additionalProperty)}`;
  return instancePath;
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function typeInWords(type: string | string[]): string {
  const words: Record<string, string> = {
    string: "a string",
    number: "a number",
    integer: "a whole number",
    boolean: "true or false",
    object: "an object",
    array: "an array",
    null: "null",
  };
  return [type]
    .flat()
    .map((name) => words[name] ?? name)
    .join(" or ");
}

function example(schema: ErrorObject["parentSchema"]): string {
  const [first] = (schema?.examples as unknown[] | undefined) ?? [];
  return first === undefined ? "" : `, such as ${first}`;
}

// Shortens a body that has thousands of faults, because a problem names only 100. Before validation, items beyond the first one that exceeds
// the maximum are removed, and unknown members beyond those that a problem names. The result of the validation stays the same.

/** The parts of a body's schema that are needed here, references resolved. */
export type BodySchema = Readonly<{
  properties?: Readonly<Record<string, BodySchema>>;
  items?: BodySchema;
  maxItems?: number;
  anyOf?: readonly BodySchema[];
}>;

/** Returns the same value when nothing exceeds the limits, otherwise a copy that breaks the same rules in fewer places. */
type Truncate = (value: unknown) => unknown;

/** Compiles a schema in advance, so that valid bodies, which most are, cost little. */
export function truncatorOf({ properties, items, maxItems, anyOf }: BodySchema): Truncate {
  const truncators: Truncate[] = (anyOf ?? []).map(truncatorOf);
  if (items) truncators.push(truncateArray(truncatorOf(items), maxItems));
  if (properties) truncators.push(truncateObject(properties));
  return (value) =>
    typeof value === "object" && value !== null ? truncators.reduce((left, truncate) => truncate(left), value as unknown) : value;
}

/** Keeps one item more than allowed, which is a fault already. */
function truncateArray(truncateItem: Truncate, maxItems = Number.POSITIVE_INFINITY): Truncate {
  return (value) => {
    if (!Array.isArray(value)) return value;
    const shortened = value.length > maxItems + 1 ? value.slice(0, maxItems + 1) : value;
    const items = shortened.map(truncateItem);
    return items.some((item, index) => item !== shortened[index]) ? items : shortened;
  };
}

function truncateObject(properties: Readonly<Record<string, BodySchema>>): Truncate {
  const nested = Object.entries(properties).filter(([, schema]) => schema.properties || schema.items || schema.anyOf);
  const members = nested.map(([name, schema]) => ({ name, truncate: truncatorOf(schema) }));
  const maxMembers = Object.keys(properties).length + maxFaults;
  return (value) => {
    if (Array.isArray(value)) return value;
    let object = removeExcessMembers(value as Record<string, unknown>, properties, maxMembers);
    for (const { name, truncate } of members) {
      const member = object[name];
      const shortened = truncate(member);
      if (shortened !== member) object = { ...object, [name]: shortened };
    }
    return object;
  };
}

/** Keeps the known members, and one unknown member more than a problem names. */
function removeExcessMembers(object: Record<string, unknown>, known: object, maxMembers: number): Record<string, unknown> {
  const names = Object.keys(object);
  if (names.length <= maxMembers) return object;
  const unknown = names.filter((name) => !Object.hasOwn(known, name)).slice(0, maxFaults + 1);
  const remaining = [...names.filter((name) => Object.hasOwn(known, name)), ...unknown];
  return Object.fromEntries(remaining.map((name) => [name, object[name]]));
}
