// Steps with donations in any order: each one checks the answer against the model and updates the model.

import fc from "fast-check";
import { freshKey } from "../values/donations.ts";
import { edge } from "../values/score.ts";
import { replayedSteps, target } from "../values/target.ts";
import type { Caller, ModelState } from "./donation-state.ts";
import { applications, days, type Step, withKey } from "./model-picks.ts";
import { breakdown, getOne, listSome, stats, topDonators, trends } from "./model-reads.ts";
import { getToken, refreshToken, revokeAccess, revokeGrant, useRevoked } from "./model-tokens.ts";
import { record, recordAfterRefusal, recordKeyed, replayDonation, reuseKey, takeOneBack, useForeignKey } from "./model-writes.ts";
import { emptyDays } from "./report-requests.ts";

export type Command = fc.AsyncCommand<ModelState, object>;

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
export const stepNames = (): string[] => [
  ...new Set(allSteps().flatMap(({ name, run }) => (run === useForeignKey && !hasApplications() ? [] : [name]))),
];

export const commands = (): fc.Arbitrary<Iterable<Command>> =>
  fc.commands(allSteps().map(command), { maxCommands: 60, size: "max", replayPath: replayedSteps() });

/** A model with a few unused days and all callers. */
export async function newModelState(): Promise<ModelState> {
  const { main, secondApplication } = target().keys;
  const caller = (key: string, application: string): Caller => ({ key, application, alive: true, grant: null });
  const callers = [caller(main, "default"), ...(secondApplication ? [caller(secondApplication, "second")] : [])];
  return { days: await emptyDays(days), tag: freshKey(), callers, grants: [], recorded: [] };
}

/** Expects every read to agree with the model. */
export async function expectModelState(state: ModelState): Promise<void> {
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
