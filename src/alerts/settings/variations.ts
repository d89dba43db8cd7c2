// Variations of the alert: which one a donation gets, and how sent ones are completed. Pure.

import type { Schemas } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";

export type Variation = Schemas["AlertVariation"];
export type NewVariation = Schemas["NewAlertVariation"];
type Style = Schemas["AlertStyle"];

/** What decides which variation a donation gets. */
export type VariedDonation = Pick<Schemas["Donation"], "amount" | "source" | "channel">;

const defaultStyle: Style = Object.freeze({
  theme: "namjai",
  position: null,
  size: 100,
  fontSize: 100,
  cardColor: null,
  textColor: null,
  accentColor: null,
  secondColor: null,
  enter: "theme",
  leave: "theme",
});

const defaultVariation: Omit<Variation, "name" | "from" | "style"> = Object.freeze({
  to: null,
  sources: null,
  channels: null,
  image: null,
  sound: null,
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
export function variationFaults(variations: readonly Variation[]): Fault[] {
  return variations.flatMap(({ from, to }, i): Fault[] =>
    to !== null && to < from
      ? [{ pointer: `/variations/${i}/to`, code: "out_of_range", message: `must be at least from, which is ${from}` }]
      : [],
  );
}

/** The first variation that fits; null: the default look. */
export function chooseVariation(variations: readonly Variation[], donation: VariedDonation): Variation | null {
  return variations.find((variation) => fits(variation, donation)) ?? null;
}

/** Tests have no channel of their own, so that a streamer can test the variation of every channel by its amount. */
function fits({ from, to, sources, channels }: Variation, { amount, source, channel }: VariedDonation): boolean {
  const fitsAmount = amount >= from && (to === null || amount <= to);
  const fitsSource = sources === null || sources.includes(source);
  const fitsChannel = channels === null || source === "test" || channels.includes(channel);
  return fitsAmount && fitsSource && fitsChannel;
}

function withoutUndefined<T extends object>(members: T): { [Name in keyof T]-?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
