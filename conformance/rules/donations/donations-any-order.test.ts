import fc from "fast-check";
import { expect, test } from "vitest";
import { create, expectProblem, get, listAll, me, readDonation } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { clientOf, expectRevoked, newGrant, refresh, revoke, tokensOf } from "../../suite/client/oauth/oauth-client.ts";
import {
  applications,
  asSeenBy,
  breakdownOf,
  type Caller,
  caller,
  days,
  daysOf,
  type Grant,
  liveGrant,
  type ModelState,
  newDonation,
  type Picks,
  pick,
  rangeOf,
  rankedOf,
  record,
  recordAfterRefusal,
  recordedIn,
  recordedWith,
  recordKeyed,
  replayDonation,
  reuseKey,
  type Step,
  sorted,
  sorts,
  span,
  statsOf,
  takeOneBack,
  useForeignKey,
  withKey,
} from "../../suite/models/donation-state.ts";
import { emptyDays, report } from "../../suite/models/reports.ts";
import { freshKey } from "../../suite/values/donations.ts";
import { edge, expectEdges } from "../../suite/values/score.ts";
import { replayedSteps, target } from "../../suite/values/target.ts";

// Steps with donations in any order: each one checks the answer against the model and updates the model.

// Steps with access tokens; each works like a key until it is revoked.

async function getToken(state: ModelState): Promise<void> {
  const tokens = await newGrant(clientOf("confidential"));
  const grant: Grant = { tokens, alive: true };
  state.grants.push(grant);
  state.callers.push({ key: tokens.access_token, application: "client", alive: true, grant });
}

/** Older access tokens stay good. */
async function refreshToken(state: ModelState, [which]: Picks): Promise<void> {
  const grant = liveGrant(state, which);
  grant.tokens = tokensOf(await refresh(clientOf("confidential"), grant.tokens.refresh_token));
  state.callers.push({ key: grant.tokens.access_token, application: "client", alive: true, grant });
}

async function revokeAccess(state: ModelState, [which, who]: Picks): Promise<void> {
  const grant = liveGrant(state, which);
  const own = state.callers.filter((one) => one.grant === grant && one.alive);
  if (own.length === 0) return;
  const one = pick(own, who);
  expectRevoked(await revoke(clientOf("confidential"), one.key));
  one.alive = false;
}

/** Revokes a grant with all of its access tokens. */
async function revokeGrant(state: ModelState, [which]: Picks): Promise<void> {
  const grant = liveGrant(state, which);
  expectRevoked(await revoke(clientOf("confidential"), grant.tokens.refresh_token));
  grant.alive = false;
  for (const one of state.callers.filter((other) => other.grant === grant)) one.alive = false;
}

/** Expects a revoked token neither to record nor to read. */
async function useRevoked(state: ModelState, picks: Picks): Promise<void> {
  const { key } = pick(
    state.callers.filter(({ alive }) => !alive),
    picks[0],
  );
  expectProblem(await create(newDonation(state, picks).body, { key }), 401, "token_revoked");
  expectProblem(await me({ key }), 401, "token_revoked");
}

// Steps that read: each answer must equal what the model computes from everything recorded.

function expectComputed(answered: unknown, computed: object): void {
  expect(answered, `answered ${JSON.stringify(answered)}, computed ${JSON.stringify(computed)}`).toMatchObject(computed);
}

async function getOne(state: ModelState, [which, who]: Picks): Promise<void> {
  const one = pick(state.recorded, which);
  const asking = caller(state, who);
  expect(readDonation(await get(one.donation.id, { key: asking.key }))).toEqual(asSeenBy(asking, one));
  const { other } = target().keys;
  if (other) expectProblem(await get(one.donation.id, { key: other }), 404, "donation_not_found");
}

async function listSome(state: ModelState, picks: Picks): Promise<void> {
  const asking = caller(state, picks[0]);
  const range = span(picks);
  const sort = pick(sorts, picks[3]);
  const limit = pick([100, 1, 3, 7], picks[4]);
  const status = pick(["active", "all", "voided"], (picks[3] ?? 0) + (picks[4] ?? 0));
  const listed = await listAll({ ...rangeOf(state, range), sort, limit, status }, { key: asking.key });
  expect(listed).toEqual(sorted(recordedWith(state, range, status), sort).map((one) => asSeenBy(asking, one)));
}

async function stats(state: ModelState, picks: Picks): Promise<void> {
  const asking = caller(state, picks[0]);
  const range = span(picks);
  expectComputed(await report("stats", rangeOf(state, range), { key: asking.key }), statsOf(recordedIn(state, range), asking));
}

async function breakdown(state: ModelState, picks: Picks): Promise<void> {
  const range = span(picks);
  const { channels, ...whole } = await report("breakdown", rangeOf(state, range), { key: caller(state, picks[0]).key });
  const expected = breakdownOf(recordedIn(state, range));
  expectComputed(whole, expected);
  expect(channels.filter(({ count }) => count > 0)).toMatchObject(
    whole.count > 0 ? [{ channel: "external", ...expected, percentage: whole.total > 0 ? 100 : 0 }] : [],
  );
}

async function topDonators(state: ModelState, picks: Picks): Promise<void> {
  const range = span(picks);
  const by = pick(["amount", "count"] as const, picks[3]);
  const { donators } = await report("top-donators", { ...rangeOf(state, range), by }, { key: caller(state, picks[0]).key });
  expectComputed(donators, rankedOf(recordedIn(state, range), by));
}

async function trends(state: ModelState, picks: Picks): Promise<void> {
  const range = span(picks);
  const options = { key: caller(state, picks[0]).key };
  const { amount, count } = daysOf(state, range);
  expectComputed((await report("trends/amount", { ...rangeOf(state, range), cumulative: "true" }, options)).points, amount);
  expectComputed((await report("trends/count", { ...rangeOf(state, range), cumulative: "true" }, options)).points, count);
}

type Command = fc.AsyncCommand<ModelState, object>;

const hasDonations = ({ recorded: all }: ModelState): boolean => all.length > 0;
const hasKeyed = (state: ModelState): boolean => withKey(state).length > 0;
const hasLiveGrant = ({ grants }: ModelState): boolean => grants.some(({ alive }) => alive);
const hasClients = (): boolean => target().oauth !== null;
/** Whether there is another application than that of the main key. */
const hasApplications = (): boolean => target().keys.secondApplication !== null || hasClients();

const steps: Step[] = [
  { name: "record", run: record },
  { name: "record with a key", run: recordKeyed },
  { name: "replay", when: hasKeyed, run: replayDonation },
  { name: "use a key again for another donation", when: hasKeyed, run: reuseKey },
  { name: "use another application's key", when: (state) => hasKeyed(state) && applications(state).length > 1, run: useForeignKey },
  { name: "be refused, then keep the key", run: recordAfterRefusal },
  { name: "void", when: hasDonations, run: takeOneBack },
  { name: "get", when: hasDonations, run: getOne },
  { name: "list", run: listSome },
  { name: "stats", run: stats },
  { name: "breakdown", run: breakdown },
  { name: "top donators", run: topDonators },
  { name: "trends", run: trends },
];

const tokenSteps: Step[] = [
  { name: "get a token", when: ({ grants }) => grants.length < 3, run: getToken },
  { name: "refresh a token", when: hasLiveGrant, run: refreshToken },
  { name: "revoke an access token", when: hasLiveGrant, run: revokeAccess },
  { name: "revoke a grant", when: hasLiveGrant, run: revokeGrant },
  { name: "use what is revoked", when: ({ callers }) => callers.some(({ alive }) => !alive), run: useRevoked },
];

const allSteps = (): Step[] => [...steps, ...steps.slice(0, 2), ...(hasClients() ? [...tokenSteps, ...tokenSteps.slice(0, 1)] : [])];

/** Names of all steps that the credentials of this run allow, each an edge that a run must hit. */
const stepNames = (): string[] => [
  ...new Set(allSteps().flatMap(({ name, run }) => (run === useForeignKey && !hasApplications() ? [] : [name]))),
];

const commands = (): fc.Arbitrary<Iterable<Command>> =>
  fc.commands(allSteps().map(command), { maxCommands: 60, size: "max", replayPath: replayedSteps() });

/** A model with a few unused days and all callers. */
async function newModelState(): Promise<ModelState> {
  const { main, secondApplication } = target().keys;
  const caller = (key: string, application: string): Caller => ({ key, application, alive: true, grant: null });
  const callers = [caller(main, "default"), ...(secondApplication ? [caller(secondApplication, "second")] : [])];
  return { days: await emptyDays(days), tag: freshKey(), callers, grants: [], recorded: [] };
}

/** Expects every read to agree with the model. */
async function expectModelState(state: ModelState): Promise<void> {
  const all = [0, 0, days - 1];
  for (const check of [listSome, stats, breakdown, topDonators, trends]) await check(state, all);
}

function command({ name, when = () => true, run }: Step): fc.Arbitrary<Command> {
  return fc.array(fc.nat(99), { minLength: 5, maxLength: 5 }).map((picks) => ({
    check: (state) => when(state as ModelState),
    run: async (state) => {
      await run(state, picks);
      edge(name);
    },
    toString: () => `${name} (${picks})`,
  }));
}

test("donations, replays, voids, reads, reports, tokens and revocations in any order give what a plain model computes", async () => {
  await holds(
    commands(),
    async (some: Iterable<Command>) => {
      const state = await newModelState();
      await fc.asyncModelRun(() => ({ model: state, real: {} }), some);
      await expectModelState(state);
    },
    { runs: 40, concurrency: 4 },
  );
  expectEdges(stepNames());
});
