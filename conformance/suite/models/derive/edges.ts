// Lists the edges of a field that must be tried, from its schema alone, independently of the code that makes probes.

import type { Field } from "../../contract/inputs.ts";
import type { JsonType, Keyword, Shape } from "../../contract/shape.ts";

type Edge = { keyword: Keyword; edge: string };

const jsonTypes: JsonType[] = ["null", "boolean", "integer", "number", "string", "array", "object"];

export function edgesOf(field: Field, emptyIsAbsent = false): Edge[] {
  const { shape } = field;
  const alternatives = shape.union.length > 0 ? shape.union : [shape];
  const text = field.in !== "body";
  return [
    ...presence(field),
    ...(text ? [] : types(shape)),
    ...(text && !isText(shape) ? [{ keyword: "type" as const, edge: "not even of the type: refused" }] : []),
    ...alternatives.flatMap((one) => [...lengths(one, field, emptyIsAbsent), ...numbers(one), ...lists(one), ...choices(one)]),
    ...(!text && alternatives.some(({ additional }) => additional === false)
      ? [{ keyword: "additionalProperties" as const, edge: "unknown member: refused" }]
      : []),
  ];
}

const isText = ({ types: all, items }: Shape): boolean => all.length === 0 || all.includes("string") || items !== undefined;

const pair = (keyword: Keyword, bound: number): Edge[] =>
  ["last accepted", "first refused"].map((side) => ({ keyword, edge: `${keyword} ${bound}: ${side}` }));

/** Edges of leaving a field out; items and the whole body have none. */
function presence({ in: where, path, required }: Field): Edge[] {
  if (where === "path" || where === "header" || (where === "body" && typeof path.at(-1) !== "string") || path.at(-1) === 0) return [];
  return ["there: accepted", `left out: ${required ? "refused" : "accepted"}`].map((edge) => ({ keyword: "required", edge }));
}

function types(shape: Shape): Edge[] {
  const isAccepted = new Set([shape, ...shape.union].flatMap((one) => one.types));
  if (isAccepted.size === 0) return [];
  if (isAccepted.has("number")) isAccepted.add("integer");
  return jsonTypes.map((type) => ({ keyword: "type", edge: `${type}: ${isAccepted.has(type) ? "accepted" : "refused"}` }));
}

function lengths(shape: Shape, { in: where }: Field, emptyIsAbsent: boolean): Edge[] {
  const { minLength = 0, maxLength, patterns } = shape;
  const empty = mayBeEmpty(shape) && where === "body" && !emptyIsAbsent ? [{ keyword: "minLength" as const, edge: emptyEdge }] : [];
  const least = minLength > 0 && !(emptyIsAbsent && minLength === 1) ? pair("minLength", minLength) : empty;
  const most = maxLength === undefined ? [] : pair("maxLength", maxLength);
  const wide = maxLength !== undefined && maxLength <= 1000 && patterns.length === 0 && where !== "header";
  const beyond = wide ? pair("maxLength", maxLength).map(({ edge }) => edge.replace(":", ", beyond the BMP:")) : [];
  const forms = patterns.length > 0 ? ["accepted", "refused"] : [];
  return [
    ...least,
    ...most,
    ...beyond.map((edge) => ({ keyword: "maxLength" as const, edge })),
    ...forms.map((side) => ({ keyword: "pattern" as const, edge: `pattern: ${side}` })),
  ];
}

/** Edge of a text without a lower bound. */
export const emptyEdge = "no minLength, the empty text: accepted";

/** Whether nothing but its greatest length bounds the text. */
export const mayBeEmpty = ({ minLength = 0, maxLength, patterns, enum: choices }: Shape): boolean =>
  minLength === 0 && maxLength !== undefined && patterns.length === 0 && choices === undefined;

const bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const;

const numbers = (shape: Shape): Edge[] => bounds.flatMap((keyword) => (shape[keyword] === undefined ? [] : pair(keyword, shape[keyword])));

function lists({ minItems, maxItems, uniqueItems }: Shape): Edge[] {
  return [
    ...(minItems ? pair("minItems", minItems) : []),
    ...(maxItems === undefined ? [] : pair("maxItems", maxItems)),
    ...(uniqueItems
      ? ["last accepted", "first refused"].map((side) => ({ keyword: "uniqueItems" as const, edge: `uniqueItems: ${side}` }))
      : []),
  ];
}

function choices({ enum: all }: Shape): Edge[] {
  if (!all) return [];
  const accepted = all.map((choice) => ({ keyword: "enum" as const, edge: `enum ${JSON.stringify(choice)}: accepted` }));
  return [...accepted, { keyword: "enum", edge: "enum: refused" }];
}
