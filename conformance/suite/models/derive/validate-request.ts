// Validates a whole request against the contract, from the bytes that are sent.

import type { Input, Inputs } from "../../contract/inputs.ts";
import type { Shape } from "../../contract/shape.ts";
import { type Broken, type Keyword, validate } from "../../contract/validate-value.ts";
import type { Parts } from "./request.ts";

/** Every rule that the request breaks, worked out from the bytes that are sent. */
export function brokenRules(inputs: Inputs, parts: Parts): Broken[] {
  return [...brokenParameters(inputs, parts), ...brokenBody(inputs, parts.body)];
}

function brokenParameters({ parameters }: Inputs, { path, query, headers }: Parts): Broken[] {
  const texts = (where: Input["in"], name: string): string[] => {
    if (where === "query") return query.filter(([one]) => one === name).map(([, text]) => text);
    return [(where === "path" ? path : headers)[name]].filter((text) => text !== undefined);
  };
  const known = new Set(parameters.filter((one) => one.in === "query").map(({ name }) => name));
  const strangers = [...new Set(query.map(([name]) => name).filter((name) => !known.has(name)))];
  const named = (at: string, keyword: Keyword): Broken => ({ at, keyword });
  return [
    ...strangers.map((name) => named(name, "unknownParameter")),
    ...parameters.flatMap(({ name, in: where, shape, required }) => {
      const values = texts(where, name);
      if (values.length === 0) return required ? [named(name, "required")] : [];
      if (isList(shape))
        return validate(
          shape,
          values.map((text) => typed(text, shape.items)),
        ).map(({ keyword }) => named(name, keyword));
      if (values.length > 1) return [named(name, "repeatedParameter")];
      return validate(shape, typed(values[0] as string, shape)).map(({ keyword }) => named(name, keyword));
    }),
  ];
}

const isList = ({ types }: Shape): boolean => types.includes("array");

/** A parameter's text as the value that its schema means; a text that is no number or truth value stays a text. */
function typed(text: string, shape: Shape | undefined): unknown {
  const types = shape?.types ?? [];
  if (types.includes("integer") && /^-?(?:0|[1-9][0-9]*)$/.test(text)) return Number(text);
  if (types.includes("number") && /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text)) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== ""));
}

function brokenBody({ body }: Inputs, text: string | null): Broken[] {
  if (!body) return [];
  if (text === null) return body.required ? [{ at: "", keyword: "required" }] : [];
  if (body.isFile) return [];
  const form = body.mediaType === "application/x-www-form-urlencoded";
  const value: unknown = form ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
  return validate(body.shape, body.emptyIsAbsent ? withoutEmpty(value) : value);
}
