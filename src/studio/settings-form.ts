// Converts alert settings between the form and the contract.

import { readNumber } from "./faults.ts";
import { localDay } from "./pages/words.ts";
import type { Settings } from "./studio-deps.ts";

/** The form's fields as they were typed, named by their path in the contract's AlertSettings. */
export type SettingsForm = Readonly<{
  minimumAmount: string;
  /** One word or phrase per line. */
  blockedWords: string;
  volume: string;
  speech: boolean;
  minimumSeconds: string;
  maximumSeconds: string;
  "goal.title": string;
  "goal.target": string;
  "goal.from": string;
}>;

/** Settings as the form shows them. Without a goal, its start date is today. `now` is in milliseconds since 1970. */
export function toSettingsForm({ goal, ...settings }: Settings, now: number): SettingsForm {
  return {
    minimumAmount: String(settings.minimumAmount),
    blockedWords: settings.blockedWords.join("\n"),
    volume: String(settings.volume),
    speech: settings.speech,
    minimumSeconds: String(settings.minimumSeconds),
    maximumSeconds: String(settings.maximumSeconds),
    "goal.title": goal?.title ?? "",
    "goal.target": goal ? String(goal.target) : "",
    "goal.from": goal?.from ?? localDay(now),
  };
}

/** The typed fields, and the settings that the contract will check. */
export function readSettingsForm(form: URLSearchParams): { typed: SettingsForm; settings: Record<string, unknown> } {
  const text = (name: string) => form.get(name) ?? "";
  const typed: SettingsForm = {
    minimumAmount: text("minimumAmount"),
    blockedWords: text("blockedWords").replaceAll("\r\n", "\n"),
    volume: text("volume"),
    speech: form.has("speech"),
    minimumSeconds: text("minimumSeconds"),
    maximumSeconds: text("maximumSeconds"),
    "goal.title": text("goal.title"),
    "goal.target": text("goal.target"),
    "goal.from": text("goal.from"),
  };
  const settings = {
    minimumAmount: readNumber(typed.minimumAmount),
    blockedWords: splitWords(typed.blockedWords),
    volume: readNumber(typed.volume),
    speech: typed.speech,
    minimumSeconds: readNumber(typed.minimumSeconds),
    maximumSeconds: readNumber(typed.maximumSeconds),
    goal: readGoal(typed),
  };
  return { typed, settings };
}

/** The words in their order, without duplicates and empty lines. */
export function splitWords(lines: string): string[] {
  const words = lines.split("\n").map((line) => line.trim());
  return [...new Set(words.filter((word) => word !== ""))];
}

/** Null when both title and target are empty, which means no goal. */
function readGoal(typed: SettingsForm): Record<string, unknown> | null {
  const title = typed["goal.title"].trim();
  if (title === "" && typed["goal.target"].trim() === "") return null;
  return { title, target: readNumber(typed["goal.target"]), from: typed["goal.from"].trim() };
}
