// A condition by which the database leaves out most donations without a text, so that few are sent, read and folded here. It is true of every
// donation that contains the text, and of some that do not: `contains` decides.

import type { Bind } from "../../db/batched-reads.ts";

/**
 * Thai letters, quotation marks and emoji that folding neither makes nor changes, nor parts from each other: where they stand side by side in
 * a folded text, they did so before. Left out are ำ, which becomes two letters, these, and marks that change places.
 */
const kept = "\\u0e01-\\u0e31\\u0e34-\\u0e37\\u0e3f-\\u0e47\\u0e4c\\u0e4e-\\u0e5b\\u2018-\\u201d\\u2600-\\u27bf\\ufe0f";
const keptEmoji = { here: "\\u{1f300}-\\u{1faff}", there: "\\U0001f300-\\U0001faff" };
const ascii = "\\x01-\\x7f";
/** Of these letters folding makes others of these alone, and of all other letters it may make any. */
const common = `${ascii}${kept}\\u0e01-\\u0e5b`;

const keptRun = new RegExp(`[${kept}${keptEmoji.here}]+`, "gu");
const asciiRun = new RegExp(`[${ascii}]+`, "g");
const uncommonHere = new RegExp(`[^\\0${common}${keptEmoji.here}]`, "u");
const uncommonThere = `[^${common}${keptEmoji.there}]`;

/** A shorter run excludes too little. */
const enough = 2;

const texts = ["message", "donator_name", "coalesce(identifier, '')"].map((text) => `${text} collate "C"`);
// One after the other is sooner done than all together, but for a regular expression.
const hasBy = (bind: Bind, part: string, asStored: (text: string) => string = (text) => text) => {
  const bound = bind(part, "text");
  return `(${texts.map((text) => `strpos(${asStored(text)}, ${bound}) > 0`).join(" or ")})`;
};
const isUncommonBy = (bind: Bind) => `(${texts.join(" || ' ' || ")}) ~ ${bind(uncommonThere, "text")}`;

/** `term` must be folded. For rows of `donations`. Databases agree on what it needs of them: bytes, and the case of ASCII. */
export function likelyBy(bind: Bind, term: string): string {
  const [keptPart, part] = [longest(term.match(keptRun)), longest(term.match(asciiRun))];
  const conditions: string[] = [];
  if (keptPart.length >= enough || part === "") conditions.push(keptPart === "" ? "true" : hasBy(bind, keptPart));
  if (uncommonHere.test(term)) conditions.push(isUncommonBy(bind));
  else if (part !== "") {
    const hasPart = /[a-z]/.test(part) ? hasBy(bind, part, (text) => `lower(${text})`) : hasBy(bind, part);
    conditions.push(`(${hasPart} or ${isUncommonBy(bind)})`);
  }
  return `(${conditions.join(" and ")})`;
}

function longest(runs: readonly string[] | null): string {
  return (runs ?? []).reduce((best, run) => (run.length > best.length ? run : best), "");
}
