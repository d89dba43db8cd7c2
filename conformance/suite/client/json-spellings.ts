// Generates the different JSON texts of one object (RFC 8259): order, white space, escapes, notations of a number.

import fc from "fast-check";

import type { Body } from "../values/donations.ts";

/** How a text is written; the choices are used in turn. */
type Style = { blanks: string[]; escapes: number[]; order: number };

const styles: fc.Arbitrary<Style> = fc.record({
  blanks: fc.array(fc.constantFrom("", " ", "\n", "\t", "\r\n", "  "), { minLength: 1, maxLength: 7 }),
  escapes: fc.array(fc.nat(3), { minLength: 1, maxLength: 11 }),
  order: fc.nat(50),
});

/** JSON texts of these bodies; `__proto__` and the like never occur in them. */
export const jsonSpellings = (bodies: fc.Arbitrary<Body>): fc.Arbitrary<string> =>
  fc.tuple(bodies, styles).map(([body, style]) => writtenIn(style, body));

function writtenIn({ blanks, escapes, order }: Style, body: Body): string {
  let [blanksUsed, escapesUsed] = [0, 0];
  const blank = (): string => blanks[blanksUsed++ % blanks.length] ?? "";
  const letter = (character: string): string => escaped(character, escapes[escapesUsed++ % escapes.length] ?? 0);
  const text = (value: string): string => `"${[...value].map(letter).join("")}"`;
  const value = (one: unknown): string =>
    typeof one === "string" ? text(one) : typeof one === "number" ? number(one, order) : String(one);
  const members = Object.entries(body).map(([name, one]) => `${blank()}${text(name)}${blank()}:${blank()}${value(one)}${blank()}`);
  const turned = [...members.slice(order % members.length), ...members.slice(0, order % members.length)];
  return `${blank()}{${turned.join(",")}}${blank()}`;
}

const short: Record<string, string> = { "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "/": "\\/" };

/** `way` 0 and 1: plain where that is possible; 2: a short escape where there is one; 3: \uXXXX. */
function escaped(character: string, way: number): string {
  if (way === 2 && short[character]) return short[character];
  if (way !== 3) return JSON.stringify(character).slice(1, -1);
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${way % 2 === 0 ? unit : unit.toUpperCase()}`).join("");
}

/** The same double: as JavaScript writes it, with an exponent, or with zeros behind it. */
function number(value: number, way: number): string {
  const text = String(value);
  if (way % 3 === 1) return value.toExponential();
  if (way % 3 === 2 && /^\d+$/.test(text)) return `${text}.000`;
  return text;
}
