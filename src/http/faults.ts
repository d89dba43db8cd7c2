// From the validator's errors to the contract's faults: which rule, where, in words.

import type { ErrorObject } from "ajv";
import type { Fault } from "./problem.ts";

type Rule = { code: Fault["code"]; words: (error: ErrorObject) => string };

const rules: Record<string, Rule> = {
  required: { code: "required", words: () => "is required" },
  type: { code: "invalid_type", words: ({ params }) => `must be ${named(params.type)}` },
  minLength: { code: "too_short", words: ({ params }) => `must have at least ${params.limit} character(s)` },
  maxLength: { code: "too_long", words: ({ params }) => `must have at most ${params.limit} characters` },
  maxItems: { code: "too_many_items", words: ({ params }) => `must have at most ${params.limit} items` },
  uniqueItems: { code: "not_unique", words: () => "must not name the same item twice" },
  minimum: { code: "out_of_range", words: ({ params }) => `must be at least ${params.limit}` },
  maximum: { code: "out_of_range", words: ({ params }) => `must be at most ${params.limit}` },
  exclusiveMinimum: { code: "out_of_range", words: ({ params }) => `must be greater than ${params.limit}` },
  exclusiveMaximum: { code: "out_of_range", words: ({ params }) => `must be less than ${params.limit}` },
  enum: { code: "invalid_enum", words: ({ params }) => `must be one of: ${params.allowedValues.join(", ")}` },
  const: { code: "invalid_enum", words: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}` },
  pattern: { code: "invalid_format", words: ({ parentSchema }) => `must have the documented form${example(parentSchema)}` },
  additionalProperties: { code: "unknown_member", words: () => "is not a member of this body" },
};

/**
 * Faults of a request body, each at its JSON pointer (RFC 6901). `errors` are of a validator whose data is `{ requestBody }`.
 * Throws on a keyword without a rule: the contract uses something that has no code yet.
 */
export function bodyFaults(errors: readonly ErrorObject[]): Fault[] {
  return telling(choose(errors)).map((error) => ({ pointer: place(error).slice("/requestBody".length), ...broken(error) }));
}

/** Faults of query parameters. `errors` are of a validator whose data is `{ query, path, … }`. */
export function parameterFaults(errors: readonly ErrorObject[]): Fault[] {
  return telling(errors).map((error) => ({ parameter: place(error).split("/")[2] ?? "", ...broken(error) }));
}

/**
 * Of a choice (`anyOf`, such as an object or null) the branch counts that takes the value's type; where none does, its type alone
 * is wrong.
 */
function choose(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === "anyOf");
  return choices.reduce((left: readonly ErrorObject[], choice) => {
    const mistyped = left.filter(({ keyword, instancePath }) => keyword === "type" && instancePath === choice.instancePath);
    const others = left.filter((error) => error !== choice && !mistyped.includes(error));
    if (mistyped.length < (choice.schema as unknown[]).length) return others;
    const [first] = mistyped as [ErrorObject];
    return [...others, { ...first, params: { type: mistyped.flatMap(({ params }) => params.type as string) } }];
  }, errors);
}

/** A value of the wrong type breaks that rule alone: that 0 is not in an enum of strings says nothing new. */
function telling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === "type").map(({ instancePath }) => instancePath));
  return errors.filter(({ keyword, instancePath }) => keyword === "type" || !mistyped.has(instancePath));
}

function broken(error: ErrorObject): Pick<Fault, "code" | "message"> {
  const rule = rules[error.keyword];
  if (!rule) throw new Error(`no fault code for the keyword "${error.keyword}" of the contract`);
  return { code: rule.code, message: rule.words(error) };
}

/** Pointer to the member at fault: a missing or unknown member is named itself, not the object around it. */
function place({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === "required") return `${instancePath}/${escapePointer(params.missingProperty)}`;
  if (keyword === "additionalProperties") return `${instancePath}/${escapePointer(params.additionalProperty)}`;
  return instancePath;
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function named(type: string | string[]): string {
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
