// Converts alert settings between the form and the contract.

import type { Settings } from "../../alerts/settings/settings.ts";
import { defaultTimezone } from "../../http/contract/published.ts";
import { localDay } from "../../ui/times.ts";
import { readNumber } from "../components/fields.ts";

/** The form's fields as they were typed, named by their path in the contract's AlertSettings. */
export type SettingsForm = Readonly<{
  minimumAmount: string;
  /** One word or phrase per line. */
  blockedWords: string;
  volume: string;
  speech: boolean;
  minimumSeconds: string;
  maximumSeconds: string;
  pauseSeconds: string;
  fasterFrom: string;
  askFrom: string;
  speechMinimumAmount: string;
  /** Empty: as loud as other sounds. */
  speechVolume: string;
  speechSpeed: string;
  /** Empty: the voice of the server. */
  voice: string;
  blockedWordAction: string;
  approval: string;
  approvalSeconds: string;
  onTimeout: string;
  "goal.title": string;
  "goal.target": string;
  "goal.from": string;
  /** Empty for a goal without an end. */
  "goal.to": string;
}>;

/** Settings as the form shows them. Without a goal, its start date is today in Bangkok, where goals are counted. `now` is in milliseconds since 1970. */
export function toSettingsForm({ goal, ...settings }: Settings, now: number): SettingsForm {
  return {
    minimumAmount: String(settings.minimumAmount),
    blockedWords: settings.blockedWords.join("\n"),
    volume: String(settings.volume),
    speech: settings.speech,
    minimumSeconds: String(settings.minimumSeconds),
    maximumSeconds: String(settings.maximumSeconds),
    pauseSeconds: String(settings.pauseSeconds),
    fasterFrom: String(settings.fasterFrom),
    askFrom: String(settings.askFrom),
    speechMinimumAmount: String(settings.speechMinimumAmount),
    speechVolume: settings.speechVolume === null ? "" : String(settings.speechVolume),
    speechSpeed: String(settings.speechSpeed),
    voice: settings.voice ?? "",
    blockedWordAction: settings.blockedWordAction,
    approval: settings.approval,
    approvalSeconds: String(settings.approvalSeconds),
    onTimeout: settings.onTimeout,
    "goal.title": goal?.title ?? "",
    "goal.target": goal ? String(goal.target) : "",
    "goal.from": goal?.from ?? localDay(now, defaultTimezone),
    "goal.to": goal?.to ?? "",
  };
}

/** The fields as they were typed. */
export function readSettingsForm(form: URLSearchParams): SettingsForm {
  const text = (name: string) => form.get(name) ?? "";
  return {
    minimumAmount: text("minimumAmount"),
    blockedWords: text("blockedWords").replaceAll("\r\n", "\n"),
    volume: text("volume"),
    speech: form.has("speech"),
    minimumSeconds: text("minimumSeconds"),
    maximumSeconds: text("maximumSeconds"),
    pauseSeconds: text("pauseSeconds"),
    fasterFrom: text("fasterFrom"),
    askFrom: text("askFrom"),
    speechMinimumAmount: text("speechMinimumAmount"),
    speechVolume: text("speechVolume"),
    speechSpeed: text("speechSpeed"),
    voice: text("voice").trim(),
    blockedWordAction: text("blockedWordAction"),
    approval: text("approval"),
    approvalSeconds: text("approvalSeconds"),
    onTimeout: text("onTimeout"),
    "goal.title": text("goal.title"),
    "goal.target": text("goal.target"),
    "goal.from": text("goal.from"),
    "goal.to": text("goal.to").trim(),
  };
}

/** The settings that the contract will check. */
export function readSettings(typed: SettingsForm): Record<string, unknown> {
  return {
    minimumAmount: readNumber(typed.minimumAmount),
    blockedWords: splitWords(typed.blockedWords),
    volume: readNumber(typed.volume),
    speech: typed.speech,
    minimumSeconds: readNumber(typed.minimumSeconds),
    maximumSeconds: readNumber(typed.maximumSeconds),
    pauseSeconds: readNumber(typed.pauseSeconds),
    fasterFrom: readNumber(typed.fasterFrom),
    askFrom: readNumber(typed.askFrom),
    speechMinimumAmount: readNumber(typed.speechMinimumAmount),
    speechVolume: typed.speechVolume.trim() === "" ? null : readNumber(typed.speechVolume),
    speechSpeed: readNumber(typed.speechSpeed),
    voice: typed.voice === "" ? null : typed.voice,
    blockedWordAction: typed.blockedWordAction,
    approval: typed.approval,
    approvalSeconds: readNumber(typed.approvalSeconds),
    onTimeout: typed.onTimeout,
    goal: readGoal(typed),
  };
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
  return {
    title,
    target: readNumber(typed["goal.target"]),
    from: typed["goal.from"].trim(),
    ...(typed["goal.to"] && { to: typed["goal.to"] }),
  };
}
