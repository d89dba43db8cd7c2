// A streamer's alert settings: defaults, changes, and the part that pages need. Pure.

import type { Schemas } from "../../http/operations.ts";
import { type Fault, validationFailed } from "../../http/problem.ts";
import { changeGoals, goalFaults, readGoals, type StoredGoals, storeGoals } from "./goals.ts";

export type Settings = Schemas["AlertSettings"];
export type SettingsChange = Schemas["AlertSettingsUpdate"];
type PageSettings = Schemas["PageSettings"];

export const defaultSettings: Settings = Object.freeze({
  minimumAmount: 0,
  blockedWords: [],
  volume: 80,
  speech: true,
  minimumSeconds: 6,
  maximumSeconds: 30,
  pauseSeconds: 0,
  fasterFrom: 0,
  askFrom: 0,
  speechMinimumAmount: 0,
  speechVolume: null,
  speechSpeed: 1,
  voice: null,
  blockedWordAction: "skip",
  approval: "off",
  approvalSeconds: 120,
  onTimeout: "drop",
  goal: null,
  goals: [],
  variations: [],
});

/** Settings as they are stored: members that are missing have their defaults, which also holds for what the contract has gained since. */
export type StoredSettings = Partial<Omit<Settings, "goal" | "goals" | "variations">> &
  StoredGoals &
  Readonly<{ variations?: readonly NewVariation[] }>;

/** Completes stored settings, their goals and their variations. */
export function withDefaults({ variations = [], goal, moreGoals, ...kept }: StoredSettings): Settings {
  return {
    ...{ ...defaultSettings, ...kept, ...readGoals({ goal: goal ?? null, moreGoals: moreGoals ?? [] }) },
    variations: variations.map(completeVariation),
  };
}

/** The members that differ from the defaults, as they are stored. */
export function withoutDefaults({ goal: _, goals, ...settings }: Settings): StoredSettings {
  const members = Object.entries(settings) as [keyof Settings, unknown][];
  const kept = members.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(defaultSettings[name]));
  return { ...Object.fromEntries(kept), ...storeGoals(goals) };
}

/** Replaces the members that are sent. Throws validation_failed if two members of the result contradict each other. */
export function changeSettings(settings: Settings, { variations, ...change }: SettingsChange): Settings {
  const plain = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const sent: Partial<Settings> = { ...plain, ...(variations && { variations: variations.map(completeVariation) }) };
  const changed: Settings = { ...settings, ...sent, ...changeGoals(settings, change) };
  const faults = [...secondsFaults(changed, change), ...goalFaults(change), ...(variations ? variationFaults(changed.variations) : [])];
  if (faults.length > 0) throw validationFailed(faults);
  return changed;
}

export function pageSettings({ volume, speechVolume, ...settings }: Settings): PageSettings {
  const { speechSpeed, speech, minimumSeconds, maximumSeconds } = settings;
  return { volume, speechVolume: speechVolume ?? volume, speechSpeed, speech, minimumSeconds, maximumSeconds };
}

/** Whether a donation of this amount is read aloud. */
export function isSpoken({ speech, speechMinimumAmount }: Settings, amount: number): boolean {
  return speech && amount >= speechMinimumAmount;
}

/** Whether some alerts wait for an approval. */
export function mayHold({ approval, blockedWordAction }: Settings): boolean {
  return approval !== "off" || blockedWordAction === "hold";
}

function secondsFaults({ minimumSeconds, maximumSeconds }: Settings, change: SettingsChange): Fault[] {
  if (minimumSeconds <= maximumSeconds) return [];
  const fault =
    change.maximumSeconds === undefined
      ? { pointer: "/minimumSeconds", message: `must be at most maximumSeconds, which is ${maximumSeconds}` }
      : { pointer: "/maximumSeconds", message: `must be at least minimumSeconds, which is ${minimumSeconds}` };
  return [{ ...fault, code: "out_of_range" }];
}

export type Variation = Schemas["AlertVariation"];

export type NewVariation = Schemas["NewAlertVariation"];

type Style = Schemas["AlertStyle"];

const defaultStyle: Style = Object.freeze({
  theme: "namjai",
  position: null,
  size: 100,
  fontSize: 100,
  cardColor: null,
  textColor: null,
  accentColor: null,
  secondColor: null,
  font: null,
  enter: "theme",
  leave: "theme",
});

const defaultVariation: Omit<Variation, "name" | "from" | "style"> = Object.freeze({
  to: null,
  sources: null,
  channels: null,
  image: null,
  libraryImage: null,
  sound: null,
  librarySound: null,
  seconds: null,
  template: null,
  voice: null,
  speak: true,
  confetti: false,
});

/** Fills in the members that were not sent. */
export function completeVariation({ style, ...sent }: NewVariation): Variation {
  return { ...defaultVariation, ...withoutUndefined(sent), style: { ...defaultStyle, ...withoutUndefined(style ?? {}) } };
}

/** What the contract cannot say of the variations of a request. */
function variationFaults(variations: readonly Variation[]): Fault[] {
  return variations.flatMap(({ from, to }, i): Fault[] =>
    to !== null && to < from
      ? [{ pointer: `/variations/${i}/to`, code: "out_of_range", message: `must be at least from, which is ${from}` }]
      : [],
  );
}

function withoutUndefined<T extends object>(members: T): { [Name in keyof T]-?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
