import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { expectProblem, me } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import {
  type CodeExchange,
  clientOf,
  exchange,
  expectError,
  expectRevoked,
  needsClients,
  newCode,
  refresh,
  revoke,
  type Tokens,
  tokensOf,
  ways,
} from "../../suite/client/oauth/oauth-client.ts";
import { type ClientHolder, replayedSteps } from "../../suite/values/target.ts";

// A model of OAuth grants: which of their codes and tokens must still be good after any sequence of steps.

type Grant = {
  holder: ClientHolder;
  code: CodeExchange;
  exchanged: boolean;
  alive: boolean;
  /** The one live refresh token; null before the exchange. */
  current: string | null;
  /** The refresh token that `current` replaced, while it may be repeated. */
  previous: string | null;
  /** Refresh tokens whose successor was used: using one again ends the grant. */
  used: string[];
  /** Refresh tokens that were never used and were replaced by repeating the previous one. */
  superseded: string[];
  access: { token: string; revoked: boolean }[];
};

type Grants = Grant[];
type Command = fc.AsyncCommand<Grants, object>;

type Step = { name: string; when: (grant: Grant) => boolean; run: (grant: Grant, pick: number) => Promise<void> };

const holders: ClientHolder[] = ["confidential", "public"];
const otherClient: Record<string, ClientHolder> = { confidential: "second", public: "confidential" };

const hasTokens = ({ current }: Grant): boolean => current !== null;

const steps: Step[] = [
  { name: "exchange", when: ({ exchanged }) => !exchanged, run: exchangeCode },
  { name: "refresh", when: hasTokens, run: useCurrent },
  { name: "refresh", when: hasTokens, run: useCurrent },
  { name: "refresh", when: hasTokens, run: useCurrent },
  { name: "repeat the last refresh", when: ({ previous }) => previous !== null, run: usePrevious },
  { name: "repeat the last refresh", when: ({ previous }) => previous !== null, run: usePrevious },
  { name: "refresh with a superseded token", when: ({ superseded }) => superseded.length > 0, run: useSuperseded },
  { name: "refresh with a used token", when: ({ used }) => used.length > 0, run: useUsed },
  { name: "replay the code", when: ({ exchanged }) => exchanged, run: exchangeCode },
  { name: "revoke an access token", when: hasTokens, run: revokeAccess },
  { name: "revoke the grant", when: hasTokens, run: revokeRefresh },
  { name: "another client tries the tokens", when: hasTokens, run: tryAsAnotherClient },
  { name: "use", when: hasTokens, run: useAccess },
];

/** Steps on up to three grants; about half of the generated steps apply when their turn comes. */
const commands = (): fc.Arbitrary<Iterable<Command>> =>
  fc.commands([fc.constantFrom(...holders).map(approval), ...steps.map(command)], {
    maxCommands: 60,
    size: "max",
    replayPath: replayedSteps(),
  });

/** Expects exactly the tokens that the model calls good to be good. Refreshes the grants, so call it last. */
async function expectModel(grants: Grants): Promise<void> {
  for (const grant of grants) {
    await useAccess(grant);
    for (const token of grant.superseded) await expectRefused(grant, token);
    if (grant.current !== null) await useCurrent(grant, 0);
    await useAccess(grant);
  }
}

function approval(holder: ClientHolder): Command {
  const run = async (grants: Grants): Promise<void> => {
    const code = await newCode(clientOf(holder));
    grants.push({ holder, code, exchanged: false, alive: true, current: null, previous: null, used: [], superseded: [], access: [] });
  };
  return { check: (grants) => grants.length < 3, run, toString: () => `approve ${holder}` };
}

/** Runs the step on one of the grants to which it applies. */
function command({ name, when, run }: Step): fc.Arbitrary<Command> {
  const fitting = (grants: Readonly<Grants>): Grant[] => grants.filter(when);
  return fc.tuple(fc.nat(9), fc.nat(9)).map(([which, pick]) => ({
    check: (grants) => fitting(grants).length > 0,
    run: async (grants) => {
      const all = fitting(grants);
      await run(all[which % all.length] as Grant, pick);
    },
    toString: () => `${name} (${which}, ${pick})`,
  }));
}

async function exchangeCode(grant: Grant, pick: number): Promise<void> {
  const reply = await exchange(clientOf(grant.holder), grant.code, ways[pick % ways.length]);
  if (grant.exchanged) {
    expectError(reply, "invalid_grant");
    grant.alive = false;
    return;
  }
  storeTokens(grant, tokensOf(reply));
  grant.exchanged = true;
}

async function useCurrent(grant: Grant, pick: number): Promise<void> {
  const { current, previous } = grant;
  if (current === null) return;
  if (!grant.alive) return expectRefused(grant, current);
  storeTokens(grant, tokensOf(await use(grant, current, pick)));
  if (previous !== null) grant.used.push(previous);
  grant.previous = current;
}

/** Repeats the previous refresh token, whose successor is unused. */
async function usePrevious(grant: Grant, pick: number): Promise<void> {
  const { current, previous } = grant;
  if (current === null || previous === null) return;
  if (!grant.alive) return expectRefused(grant, previous);
  if (grant.holder === "public") {
    await expectRefused(grant, previous);
    grant.alive = false;
    return;
  }
  storeTokens(grant, tokensOf(await use(grant, previous, pick)));
  grant.superseded.push(current);
}

async function useUsed(grant: Grant, pick: number): Promise<void> {
  const token = grant.used[pick % grant.used.length];
  if (token === undefined) return;
  await expectRefused(grant, token);
  grant.alive = false;
}

async function useSuperseded(grant: Grant, pick: number): Promise<void> {
  const token = grant.superseded[pick % grant.superseded.length];
  if (token !== undefined) await expectRefused(grant, token);
}

async function revokeAccess(grant: Grant, pick: number): Promise<void> {
  const access = grant.access[pick % grant.access.length];
  if (access === undefined) return;
  expectRevoked(await revoke(clientOf(grant.holder), access.token, {}, ways[pick % ways.length]));
  access.revoked = true;
}

async function revokeRefresh(grant: Grant, pick: number): Promise<void> {
  if (grant.current === null) return;
  expectRevoked(await revoke(clientOf(grant.holder), grant.current, {}, ways[pick % ways.length]));
  grant.alive = false;
}

/** Another client tries to refresh and revoke every token of the grant, and is refused. */
async function tryAsAnotherClient(grant: Grant, pick: number): Promise<void> {
  const stranger = clientOf(otherClient[grant.holder] as ClientHolder);
  const known = [grant.current, grant.previous, ...grant.used, ...grant.superseded].filter((token) => token !== null);
  for (const token of known) {
    expectError(await refresh(stranger, token), "invalid_grant");
    expectError(await revoke(stranger, token), "invalid_grant");
  }
  const access = grant.access[pick % grant.access.length];
  if (access) expectError(await revoke(stranger, access.token), "invalid_grant");
}

async function useAccess({ access, alive }: Grant): Promise<void> {
  for (const { token, revoked } of access) {
    const reply = await me({ key: token });
    if (alive && !revoked) expect(reply.status, reply.text).toBe(200);
    else expectProblem(reply, 401, "token_revoked");
  }
}

const use = (grant: Grant, token: string, pick: number) => refresh(clientOf(grant.holder), token, {}, ways[pick % ways.length]);

async function expectRefused(grant: Grant, token: string): Promise<void> {
  expectError(await use(grant, token, 0), "invalid_grant");
}

function storeTokens(grant: Grant, { access_token, refresh_token }: Tokens): void {
  grant.current = refresh_token;
  grant.access.push({ token: access_token, revoked: false });
}

beforeEach(needsClients);

test("approvals, exchanges, refreshes, revocations and uses in any order leave good exactly the tokens that a plain model says", () =>
  holds(
    commands(),
    async (some: Iterable<Command>) => {
      const grants: Grants = [];
      await fc.asyncModelRun(() => ({ model: grants, real: {} }), some);
      await expectModel(grants);
    },
    { runs: 24, concurrency: 3 },
  ));
