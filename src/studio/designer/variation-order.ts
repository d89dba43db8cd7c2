// What the order of variations leads to: the first one that fits a donation is played.

import type { Settings } from "../../alerts/settings/settings.ts";
import { channels, sources } from "../components/donation.ts";
import type { AmountSpan } from "./amount-line.ts";

type Variations = Settings["variations"];
type Variation = Variations[number];

/** The place of a variation above this one that fits every donation that this one fits, so that this one never plays; null: there is none. */
export function findCover(variations: Variations, place: number): number | null {
  const below = variations[place];
  const found = below ? variations.slice(0, place).findIndex((above) => covers(above, below)) : -1;
  return found === -1 ? null : found;
}

/** The amount of a test alert that plays the variation at this place. Where there is none: an amount that it is for, and the place that is played instead; null: the default look. */
export function chooseTest(variations: Variations, place: number): Readonly<{ amount: number; played: number | null }> {
  const { from = 0, to = null } = variations[place] ?? {};
  const usual = from > 0 ? from : (to ?? 100) || 1;
  const beside = variations.slice(0, place).flatMap((above) => [above.from - satang, ...(above.to === null ? [] : [above.to + satang])]);
  const amounts = [usual, ...(to === null ? [] : [to]), ...beside.map(toSatang)];
  const own = amounts.find((amount) => amount > 0 && playedByTest(variations, amount) === place);
  const amount = own ?? usual;
  return { amount, played: playedByTest(variations, amount) };
}

const satang = 0.01;

/** The amounts that no variation is for, whatever their source or channel, in order: the default look plays. `most`: the largest amount that there is. */
export function gapsOf(variations: Variations, most: number): AmountSpan[] {
  const gaps: AmountSpan[] = [];
  let next = 0;
  for (const { from, to } of variations.toSorted((one, other) => one.from - other.from)) {
    if (from > next) gaps.push({ from: next, to: toSatang(from - satang) });
    if (to === null) return gaps;
    next = Math.max(next, toSatang(to + satang));
  }
  return next > most ? gaps : [...gaps, { from: next, to: null }];
}

function toSatang(amount: number): number {
  return Math.round(amount * 100) / 100;
}

/** Tests fit every channel. */
function playedByTest(variations: Variations, amount: number): number | null {
  const place = variations.findIndex(
    (one) => amount >= one.from && amount <= (one.to ?? Infinity) && (one.sources ?? sources).includes("test"),
  );
  return place === -1 ? null : place;
}

function covers(above: Variation, below: Variation): boolean {
  const amounts = above.from <= below.from && (above.to ?? Infinity) >= (below.to ?? Infinity);
  return amounts && includesAll(above.sources, below.sources ?? sources) && includesAll(above.channels, below.channels ?? channels);
}

/** Null has everything. */
function includesAll<One>(list: readonly One[] | null, ones: readonly One[]): boolean {
  return list === null || ones.every((one) => list.includes(one));
}
