// Finds what contradicts itself in the form of the settings, so that it is named together with what the contract finds in single fields.

import type { Fault } from "../../http/problem.ts";
import { readNumber } from "../components/field-faults.ts";
import { isInRange } from "../components/fields.ts";
import type { StudioDeps } from "../studio-deps.ts";
import type { SettingsForm } from "./settings-form.ts";

/** Only fields that are sound by themselves are compared. */
export function findContradictions(typed: SettingsForm, bounds: StudioDeps["bounds"]): Fault[] {
  const { minimumSeconds, maximumSeconds } = typed;
  const isSound = (name: "minimumSeconds" | "maximumSeconds") => isInRange(typed[name], bounds("AlertSettings", name));
  const [shortest, longest] = [readNumber(minimumSeconds), readNumber(maximumSeconds)];
  const [from, to] = [typed["goal.from"], typed["goal.to"]];
  return [
    ...(isSound("minimumSeconds") && isSound("maximumSeconds") && longest < shortest
      ? [{ pointer: "/maximumSeconds", code: "out_of_range" as const, message: `must be at least minimumSeconds, which is ${shortest}` }]
      : []),
    ...(isDay(from) && isDay(to) && to < from
      ? [{ pointer: "/goal/to", code: "out_of_range" as const, message: "must not be before from" }]
      : []),
  ];
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}
