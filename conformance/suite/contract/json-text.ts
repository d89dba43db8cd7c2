// Reads bytes as JSON by the grammar of RFC 8259, without JSON.parse: numbers keep their text, strings their code points,
// objects every member. What JSON parsers may read differently is reported as `open`.

export type Json =
  | { type: "null" }
  | { type: "boolean"; value: boolean }
  | { type: "number"; text: string }
  | { type: "string"; codePoints: number[] }
  | { type: "array"; items: Json[] }
  | { type: "object"; members: [name: string, value: Json][] };

/** `value` is null where the bytes are no JSON. `open`: descriptions of what servers may read differently. */
type Reading = { value: Json | null; open: string[] };

type Cursor = { text: string; index: number; depth: number; open: Set<string> };

class NoJson extends Error {}

const maxCertainDepth = 8;

export function readJson(bytes: Uint8Array): Reading {
  const text = textOf(bytes);
  if (text === null) return { value: null, open: [] };
  const mark = text.startsWith("\ufeff");
  const at: Cursor = { text, index: mark ? 1 : 0, depth: 0, open: new Set(mark ? ["a byte order mark"] : []) };
  try {
    const value = element(at);
    if (at.index < text.length) throw new NoJson();
    return { value, open: [...at.open] };
  } catch (error) {
    if (!(error instanceof NoJson)) throw error;
    return { value: null, open: [...at.open] };
  }
}

export const textOfString = (codePoints: readonly number[]): string => codePoints.map((code) => String.fromCodePoint(code)).join("");

/** UTF-8 alone is JSON (RFC 8259 8.1). */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function element(at: Cursor): Json {
  blanks(at);
  const value = anyValue(at);
  blanks(at);
  return value;
}

function anyValue(at: Cursor): Json {
  const first = at.text[at.index];
  if (first === "{") return nested(at, object);
  if (first === "[") return nested(at, array);
  if (first === '"') return { type: "string", codePoints: string(at) };
  if (consumeIf(at, "null")) return { type: "null" };
  if (consumeIf(at, "true")) return { type: "boolean", value: true };
  if (consumeIf(at, "false")) return { type: "boolean", value: false };
  return { type: "number", text: number(at) };
}

function nested(at: Cursor, read: (at: Cursor) => Json): Json {
  at.depth += 1;
  if (at.depth > maxCertainDepth) at.open.add("deep nesting");
  const value = read(at);
  at.depth -= 1;
  return value;
}

function object(at: Cursor): Json {
  const members: [string, Json][] = [];
  list(at, "{", "}", () => {
    blanks(at);
    if (at.text[at.index] !== '"') throw new NoJson();
    const name = textOfString(string(at));
    blanks(at);
    consume(at, ":");
    if (members.some(([other]) => other === name)) at.open.add("a duplicate member");
    members.push([name, element(at)]);
  });
  return { type: "object", members };
}

function array(at: Cursor): Json {
  const items: Json[] = [];
  list(at, "[", "]", () => void items.push(element(at)));
  return { type: "array", items };
}

function list(at: Cursor, first: string, last: string, item: () => void): void {
  consume(at, first);
  blanks(at);
  if (consumeIf(at, last)) return;
  do item();
  while (consumeIf(at, ","));
  consume(at, last);
}

function string(at: Cursor): number[] {
  consume(at, '"');
  const units: number[] = [];
  while (!consumeIf(at, '"')) units.push(unit(at));
  const codePoints = joined(units);
  if (codePoints.some((code) => code >= 0xd800 && code <= 0xdfff)) at.open.add("a lone surrogate");
  if (codePoints.includes(0)) at.open.add("U+0000");
  return codePoints;
}

const escapes: Record<string, string> = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** One UTF-16 code unit of a string. */
function unit(at: Cursor): number {
  const code = at.text.charCodeAt(at.index);
  if (Number.isNaN(code) || code < 0x20) throw new NoJson();
  at.index += 1;
  if (code !== 0x5c) return code;
  const letter = at.text[at.index++] ?? "";
  if (letter !== "u") return escapes[letter]?.charCodeAt(0) ?? fail();
  const hex = at.text.slice(at.index, at.index + 4);
  if (hex.length < 4 || [...hex].some((digit) => !"0123456789abcdefABCDEF".includes(digit))) throw new NoJson();
  at.index += 4;
  return Number.parseInt(hex, 16);
}

/** Surrogate pairs become one code point; a lone one stays. */
function joined(units: readonly number[]): number[] {
  const codePoints: number[] = [];
  for (let index = 0; index < units.length; index += 1) {
    const [high = 0, low = 0] = [units[index], units[index + 1]];
    const pair = high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
    codePoints.push(pair ? 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00) : high);
    if (pair) index += 1;
  }
  return codePoints;
}

function number(at: Cursor): string {
  const start = at.index;
  consumeIf(at, "-");
  if (!consumeIf(at, "0")) digits(at);
  if (consumeIf(at, ".")) digits(at);
  if (consumeIf(at, "e") || consumeIf(at, "E")) {
    if (!consumeIf(at, "+")) consumeIf(at, "-");
    digits(at);
  }
  return at.text.slice(start, at.index);
}

function digits(at: Cursor): void {
  const start = at.index;
  while (isDigit(at.text[at.index])) at.index += 1;
  if (at.index === start) throw new NoJson();
}

const isDigit = (character: string | undefined): boolean => character !== undefined && character >= "0" && character <= "9";

function blanks(at: Cursor): void {
  while (at.index < at.text.length && " \t\n\r".includes(at.text[at.index] ?? "x")) at.index += 1;
}

function consumeIf(at: Cursor, expected: string): boolean {
  const there = at.text.startsWith(expected, at.index);
  if (there) at.index += expected.length;
  return there;
}

function consume(at: Cursor, expected: string): void {
  if (!consumeIf(at, expected)) throw new NoJson();
}

function fail(): never {
  throw new NoJson();
}
