// A streamer's alert settings: defaults, changes, and the part that pages need. Pure.

import type { Schemas } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";

export type Settings = Schemas["AlertSettings"];
export type SettingsChange = Schemas["AlertSettingsUpdate"];
export type PageSettings = Schemas["PageSettings"];

export const defaultSettings: Settings = Object.freeze({
  minimumAmount: 0,
  blockedWords: [],
  volume: 80,
  speech: true,
  minimumSeconds: 6,
  maximumSeconds: 30,
  goal: null,
});

/** Completes stored settings, which hold only the members that differ from the defaults. */
export function withDefaults(kept: Partial<Settings>): Settings {
  return { ...defaultSettings, ...kept };
}

/** The members that differ from the defaults. */
export function withoutDefaults(settings: Settings): Partial<Settings> {
  const members = Object.entries(settings) as [keyof Settings, unknown][];
  return Object.fromEntries(members.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(defaultSettings[name])));
}

/** Replaces the members that are sent. Throws validation_failed if the result has minimumSeconds above maximumSeconds. */
export function changeSettings(settings: Settings, change: SettingsChange): Settings {
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const changed: Settings = { ...settings, ...sent };
  if (changed.minimumSeconds > changed.maximumSeconds) throw minimumAboveMaximum(changed, change);
  return changed;
}

export function pageSettings({ volume, speech, minimumSeconds, maximumSeconds }: Settings): PageSettings {
  return { volume, speech, minimumSeconds, maximumSeconds };
}

function minimumAboveMaximum({ minimumSeconds, maximumSeconds }: Settings, change: SettingsChange): Problem {
  const fault =
    change.maximumSeconds === undefined
      ? { pointer: "/minimumSeconds", message: `must be at most maximumSeconds, which is ${maximumSeconds}` }
      : { pointer: "/maximumSeconds", message: `must be at least minimumSeconds, which is ${minimumSeconds}` };
  return new Problem("validation_failed", "One rule is broken; errors names it.", { errors: [{ ...fault, code: "out_of_range" }] });
}
