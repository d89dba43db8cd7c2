// The forms of the timer's page: what was typed, and which members of the contract it becomes.

import { maxItemsOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import { readNumber } from "../components/fields.ts";

export type Timer = Schemas["Timer"];

/** A step as it was typed. */
type TypedStep = Readonly<Record<(typeof stepFields)[number], string>>;
export const stepFields = ["from", "seconds", "per"] as const;

export type RulesForm = Readonly<{ steps: readonly TypedStep[]; maximum: string; countTests: boolean; countImports: boolean }>;
export type StartForm = Readonly<{ hours: string; minutes: string }>;

const maxSteps = maxItemsOf("TimerRules", "steps");
/** Empty rows below the steps, for new ones. */
const spareRows = 2;
const secondsPerHour = 3_600;

export const initialStart: StartForm = { hours: "2", minutes: "0" };

export function toRulesForm({ steps, maximumSeconds, countTests, countImports }: Timer["rules"]): RulesForm {
  const typed = steps.map(({ from, seconds, per }) => ({ from: String(from), seconds: String(seconds), per: String(per ?? "") }));
  return { steps: typed, maximum: maximumSeconds === null ? "" : String(maximumSeconds / secondsPerHour), countTests, countImports };
}

/** The steps of a form with rows for new ones. */
export function rowsOf({ steps }: RulesForm): readonly TypedStep[] {
  const spare = Math.max(0, Math.min(spareRows, maxSteps - steps.length));
  return [...steps, ...Array.from({ length: spare }, () => ({ from: "", seconds: "", per: "" }))];
}

export function readRulesForm(form: URLSearchParams): RulesForm {
  const typed = (name: string) => (form.get(name) ?? "").trim();
  const rows = Array.from({ length: maxSteps }, (_, row) => ({
    ...{ from: typed(`from ${row}`), seconds: typed(`seconds ${row}`), per: typed(`per ${row}`) },
  }));
  const steps = rows.filter((row) => stepFields.some((field) => row[field] !== ""));
  return { steps, maximum: typed("maximumSeconds"), countTests: form.has("countTests"), countImports: form.has("countImports") };
}

/** The members that the contract will check, with whatever was typed. */
export function toRules({ steps, maximum, countTests, countImports }: RulesForm): Record<string, unknown> {
  return {
    steps: steps.map(({ from, seconds, per }) => ({
      from: readNumber(from),
      seconds: readNumber(seconds),
      per: per === "" ? null : readNumber(per),
    })),
    maximumSeconds: maximum === "" ? null : inSeconds(maximum, secondsPerHour),
    countTests,
    countImports,
  };
}

export function readStartForm(form: URLSearchParams): StartForm {
  return { hours: (form.get("hours") ?? "").trim(), minutes: (form.get("minutes") ?? "").trim() };
}

/** Nothing typed counts as zero. */
export function toSeconds({ hours, minutes }: StartForm): unknown {
  const [fromHours, fromMinutes] = [inSeconds(hours || "0", secondsPerHour), inSeconds(minutes || "0", 60)];
  if (typeof fromHours === "number" && typeof fromMinutes === "number") return fromHours + fromMinutes;
  return typeof fromHours === "number" ? minutes : hours;
}

/** A text that is no number stays, so that the contract reports it. */
export function inSeconds(typed: string, secondsPerUnit: number): number | string {
  const number = readNumber(typed);
  return typeof number === "number" ? Math.round(number * secondsPerUnit) : number;
}
