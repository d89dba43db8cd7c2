import { expect } from "vitest";

import { expectProblem, found, get, listAll } from "../client/api.ts";
import { target } from "../server/target.ts";
import { asSeenBy, breakdownOf, daysOf, rangeOf, rankedOf, sorted, sorts, statsOf, type World, within } from "./donation-world.ts";
import { caller, type Picks, pick, span } from "./model-picks.ts";
import { report } from "./report-requests.ts";

// Steps that read: each answer is what a plain reckoning over everything recorded comes to.

function expectReckoned(answered: unknown, reckoned: object): void {
  expect(answered, `answered ${JSON.stringify(answered)}, reckoned ${JSON.stringify(reckoned)}`).toMatchObject(reckoned);
}

export async function getOne(world: World, [which, who]: Picks): Promise<void> {
  const one = pick(world.recorded, which);
  const asking = caller(world, who);
  expect(found(await get(one.donation.id, { key: asking.key }))).toEqual(asSeenBy(asking, one));
  const { other } = target().keys;
  if (other) expectProblem(await get(one.donation.id, { key: other }), 404, "donation_not_found");
}

export async function listSome(world: World, picks: Picks): Promise<void> {
  const asking = caller(world, picks[0]);
  const range = span(picks);
  const sort = pick(sorts, picks[3]);
  const limit = pick([100, 1, 3, 7], picks[4]);
  const listed = await listAll({ ...rangeOf(world, range), sort, limit }, { key: asking.key });
  expect(listed).toEqual(sorted(within(world, range), sort).map((one) => asSeenBy(asking, one)));
}

export async function stats(world: World, picks: Picks): Promise<void> {
  const asking = caller(world, picks[0]);
  const range = span(picks);
  expectReckoned(await report("stats", rangeOf(world, range), { key: asking.key }), statsOf(within(world, range), asking));
}

export async function breakdown(world: World, picks: Picks): Promise<void> {
  const range = span(picks);
  const { channels, ...whole } = await report("breakdown", rangeOf(world, range), { key: caller(world, picks[0]).key });
  const expected = breakdownOf(within(world, range));
  expectReckoned(whole, expected);
  expect(channels.filter(({ count }) => count > 0)).toMatchObject(
    whole.count > 0 ? [{ channel: "external", ...expected, percentage: whole.total > 0 ? 100 : 0 }] : [],
  );
}

export async function topDonators(world: World, picks: Picks): Promise<void> {
  const range = span(picks);
  const by = pick(["amount", "count"] as const, picks[3]);
  const { donators } = await report("top-donators", { ...rangeOf(world, range), by }, { key: caller(world, picks[0]).key });
  expectReckoned(donators, rankedOf(within(world, range), by));
}

export async function trends(world: World, picks: Picks): Promise<void> {
  const range = span(picks);
  const options = { key: caller(world, picks[0]).key };
  const { amount, count } = daysOf(world, range);
  expectReckoned((await report("trends/amount", { ...rangeOf(world, range), cumulative: "true" }, options)).points, amount);
  expectReckoned((await report("trends/count", rangeOf(world, range), options)).points, count);
}
