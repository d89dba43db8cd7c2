// Saves what was changed in a form of the settings, and leaves what was changed elsewhere since its page was loaded as it is.

import { createHash } from "node:crypto";
import { readSettings, type SettingsForm, splitWords } from "./settings-form.ts";

/** What a page shows, in short: its form brings it back. Blocked words word by word. */
export function noteOf(shown: SettingsForm): string {
  const note = Object.entries(shown).map(([name, value]) => [name, name === "blockedWords" ? hashesOf(String(value)) : hashOf(value)]);
  return new URLSearchParams(Object.fromEntries(note)).toString();
}

/** What was typed where that differs from what the page showed, and else what there is now. Without a note: what was typed. */
export function mergeSettings(typed: SettingsForm, note: URLSearchParams, current: SettingsForm): SettingsForm {
  const merge = ([name, value]: [string, string | boolean]) => [
    name,
    hashOf(value) === note.get(name) ? current[name as keyof SettingsForm] : value,
  ];
  const blockedWords = mergeWords(typed.blockedWords, note.get("blockedWords"), current.blockedWords);
  return { ...(Object.fromEntries(Object.entries(typed).map(merge)) as SettingsForm), blockedWords };
}

/** The members of the contract in which two forms differ, with the values of the first. */
export function changedSettings(wanted: SettingsForm, current: SettingsForm): Record<string, unknown> {
  const now = readSettings(current);
  return Object.fromEntries(
    Object.entries(readSettings(wanted)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name])),
  );
}

/** Words that were added elsewhere stay, and words that were removed elsewhere stay away. */
function mergeWords(typed: string, noted: string | null, current: string): string {
  if (noted === null || noted === hashesOf(current)) return typed;
  if (noted === hashesOf(typed)) return current;
  const shown = new Set(noted.split("."));
  const [mine, theirs] = [splitWords(typed), splitWords(current)];
  const kept = mine.filter((word) => theirs.includes(word) || !shown.has(hashOf(word)));
  return [...kept, ...theirs.filter((word) => !mine.includes(word) && !shown.has(hashOf(word)))].join("\n");
}

function hashesOf(words: string): string {
  return splitWords(words).map(hashOf).join(".");
}

function hashOf(value: string | boolean): string {
  return createHash("sha256").update(String(value)).digest("base64url").slice(0, 8);
}
