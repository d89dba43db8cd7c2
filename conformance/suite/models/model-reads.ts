// Steps that read: each answer must equal what the model computes from everything recorded.

import { expect } from "vitest";

import { expectProblem, get, listAll, readDonation } from "../client/api.ts";
import { target } from "../values/target.ts";
import {
  asSeenBy,
  breakdownOf,
  daysOf,
  type ModelState,
  rangeOf,
  rankedOf,
  recordedIn,
  recordedWith,
  sorted,
  sorts,
  statsOf,
} from "./donation-state.ts";
import { caller, type Picks, pick, span } from "./model-picks.ts";
import { report } from "./report-requests.ts";

function expectComputed(answered: unknown, computed: object): void {
  expect(answered, `answered ${JSON.stringify(answered)}, computed ${JSON.stringify(computed)}`).toMatchObject(computed);
}

export async function getOne(state: ModelState, [which, who]: Picks): Promise<void> {
  const one = pick(state.recorded, which);
  const asking = caller(state, who);
  expect(readDonation(await get(one.donation.id, { key: asking.key }))).toEqual(asSeenBy(asking, one));
  const { other } = target().keys;
  if (other) expectProblem(await get(one.donation.id, { key: other }), 404, "donation_not_found");
}

export async function listSome(state: ModelState, picks: Picks): Promise<void> {
  const asking = caller(state, picks[0]);
  const range = span(picks);
  const sort = pick(sorts, picks[3]);
  const limit = pick([100, 1, 3, 7], picks[4]);
  const status = pick(["active", "all", "voided"], (picks[3] ?? 0) + (picks[4] ?? 0));
  const listed = await listAll({ ...rangeOf(state, range), sort, limit, status }, { key: asking.key });
  expect(listed).toEqual(sorted(recordedWith(state, range, status), sort).map((one) => asSeenBy(asking, one)));
}

export async function stats(state: ModelState, picks: Picks): Promise<void> {
  const asking = caller(state, picks[0]);
  const range = span(picks);
  expectComputed(await report("stats", rangeOf(state, range), { key: asking.key }), statsOf(recordedIn(state, range), asking));
}

export async function breakdown(state: ModelState, picks: Picks): Promise<void> {
  const range = span(picks);
  const { channels, ...whole } = await report("breakdown", rangeOf(state, range), { key: caller(state, picks[0]).key });
  const expected = breakdownOf(recordedIn(state, range));
  expectComputed(whole, expected);
  expect(channels.filter(({ count }) => count > 0)).toMatchObject(
    whole.count > 0 ? [{ channel: "external", ...expected, percentage: whole.total > 0 ? 100 : 0 }] : [],
  );
}

export async function topDonators(state: ModelState, picks: Picks): Promise<void> {
  const range = span(picks);
  const by = pick(["amount", "count"] as const, picks[3]);
  const { donators } = await report("top-donators", { ...rangeOf(state, range), by }, { key: caller(state, picks[0]).key });
  expectComputed(donators, rankedOf(recordedIn(state, range), by));
}

export async function trends(state: ModelState, picks: Picks): Promise<void> {
  const range = span(picks);
  const options = { key: caller(state, picks[0]).key };
  const { amount, count } = daysOf(state, range);
  expectComputed((await report("trends/amount", { ...rangeOf(state, range), cumulative: "true" }, options)).points, amount);
  expectComputed((await report("trends/count", rangeOf(state, range), options)).points, count);
}
