// Keeps each shrunk counterexample, so that the next run tries it first, until a bound changes and it is no case of its rule any more.
// A file per rule file, entries as in `cases/*.json`.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { familyOf } from "../contract/offline-rules.ts";
import { redactor, remembered } from "./redact.ts";
import { running } from "./running.ts";
import { target } from "./target.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Kept values that were dropped, in words. */
    droppedExamples?: string[];
  }
}

/** The value is no case of the rule: the oracle judges it otherwise than the rule expects. */
export class NotACase extends Error {}

/** `data`: the value as `encode` writes it. */
type Entry = { rule: string; description: string; data: unknown };

const maxEntriesPerRule = 20;
const maxLength = 20_000; // characters of an entry

/** The values that broke the running rule in earlier runs, newest first; none while one counterexample is repeated. */
export function keptExamples(): unknown[] {
  const place = placeOfRule();
  if (place === null || target().path !== null) return [];
  return entriesIn(place.file)
    .filter(({ rule }) => rule === place.rule)
    .map(({ data }) => decode(data))
    .toReversed();
}

/** Keeps the value that breaks the running rule, unless it is too long, holds a secret or cannot be written as data. */
export function keepExample(value: unknown): void {
  const place = placeOfRule();
  const data = encode(value);
  if (place === null || data === undefined) return;
  const entry: Entry = { rule: place.rule, description: fc.stringify(value), data };
  const text = JSON.stringify(entry);
  if (text.length > maxLength || redactor(target(), remembered())(text) !== text) return;
  const entries = entriesIn(place.file).filter((one) => one.rule !== entry.rule || JSON.stringify(one.data) !== JSON.stringify(data));
  const ofRule = entries.filter(({ rule }) => rule === entry.rule);
  const dropped = new Set(ofRule.slice(0, Math.max(0, ofRule.length + 1 - maxEntriesPerRule)));
  mkdirSync(dirname(place.file), { recursive: true });
  writeFileSync(place.file, `${JSON.stringify([...entries.filter((one) => !dropped.has(one)), entry], null, 2)}\n`);
}

/** Removes a kept value of the running rule that is no case of it any more, and notes that for the reports. */
export function dropExample(value: unknown, why: string): void {
  const place = placeOfRule();
  const data = JSON.stringify(encode(value));
  if (place === null) return;
  const isDropped = (one: Entry): boolean => one.rule === place.rule && JSON.stringify(one.data) === data;
  const entries = entriesIn(place.file);
  writeFileSync(
    place.file,
    `${JSON.stringify(
      entries.filter((one) => !isDropped(one)),
      null,
      2,
    )}\n`,
  );
  const words = entries.filter(isDropped).map(({ description }) => `dropped ${excerpt(description)} from ${place.file}: ${why}`);
  const { meta } = running() ?? {};
  if (meta) meta.droppedExamples = [...(meta.droppedExamples ?? []), ...words];
}

const excerpt = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)} … (${text.length} characters)` : text);

function placeOfRule(): { file: string; rule: string } | null {
  const test = running();
  const { corpus } = target();
  if (!test || corpus === null) return null;
  return { file: join(corpus, `${familyOf(test.file.name)}.json`), rule: titleOf(test) };
}

/** The title with those of the suites around it, as reports print it. */
function titleOf({ name, suite }: NonNullable<ReturnType<typeof running>>): string {
  const names = [name];
  for (let around = suite; around; around = around.suite) names.unshift(around.name);
  return names.filter(Boolean).join(" > ");
}

function entriesIn(file: string): Entry[] {
  if (!existsSync(file)) return [];
  const entries: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (Array.isArray(entries)) return entries as Entry[];
  throw new Error(`${file} must be a list of counterexamples: mend or remove it`);
}

// JSON has no undefined, no -0, NaN or Infinity, and no bytes: an object with the single member `$` stands for them.
const special = new Map<string, unknown>([
  ["undefined", undefined],
  ["-0", -0],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/** Undefined where the value is no data, such as a function or a class of its own. */
function encode(value: unknown): unknown {
  const name = [...special].find(([, one]) => Object.is(one, value))?.[0];
  if (name !== undefined) return { $: name };
  if (value instanceof Uint8Array) return { $: "bytes", base64: Buffer.from(value).toString("base64") };
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  if (Array.isArray(value)) return allOf(value.map(encode));
  if (typeof value !== "object" || ![Object.prototype, null].includes(Object.getPrototypeOf(value)) || Object.hasOwn(value, "$"))
    return undefined;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [key, encode(member)]);
  return entries.some(([, member]) => member === undefined) ? undefined : Object.fromEntries(entries);
}

const allOf = (items: unknown[]): unknown[] | undefined => (items.includes(undefined) ? undefined : items);

function decode(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(decode);
  if (typeof data !== "object" || data === null) return data;
  const { $, base64 } = data as { $?: string; base64?: string };
  if ($ === "bytes") return new Uint8Array(Buffer.from(base64 ?? "", "base64"));
  if ($ !== undefined) return special.get($);
  return Object.fromEntries(Object.entries(data).map(([key, member]) => [key, decode(member)]));
}
