// Settings between their form and the contract. Pure.

import { readNumber } from "./faults.ts";
import { localDay } from "./pages/words.ts";
import type { Settings } from "./studio-deps.ts";

/** As it was typed; fields are named by their place in the contract's settings. */
export type SettingsForm = Readonly<{
  minimumAmount: string;
  /** One a line. */
  blockedWords: string;
  volume: string;
  speech: boolean;
  minimumSeconds: string;
  maximumSeconds: string;
  "goal.title": string;
  "goal.target": string;
  "goal.from": string;
}>;

/** Settings as the form shows them. A goal that there is not yet would begin today. */
export function shownSettings({ goal, ...settings }: Settings, now: number): SettingsForm {
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

/** What was typed, and what it means to the contract, which checks it. */
export function readSettings(form: URLSearchParams): { typed: SettingsForm; settings: Record<string, unknown> } {
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
    blockedWords: readWords(typed.blockedWords),
    volume: readNumber(typed.volume),
    speech: typed.speech,
    minimumSeconds: readNumber(typed.minimumSeconds),
    maximumSeconds: readNumber(typed.maximumSeconds),
    goal: readGoal(typed),
  };
  return { typed, settings };
}

/** The words in their order, each once; empty lines are none. */
export function readWords(lines: string): string[] {
  const words = lines.split("\n").map((line) => line.trim());
  return [...new Set(words.filter((word) => word !== ""))];
}

/** Without title and target there is no goal. */
function readGoal(typed: SettingsForm): Record<string, unknown> | null {
  const title = typed["goal.title"].trim();
  if (title === "" && typed["goal.target"].trim() === "") return null;
  return { title, target: readNumber(typed["goal.target"]), from: typed["goal.from"].trim() };
}
