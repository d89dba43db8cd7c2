import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { create, list, me } from "../../harness/client/api.ts";
import { type Reply, send } from "../../harness/client/http-client.ts";
import { donation } from "../../harness/generators/donations.ts";
import { holdsForEach } from "../../harness/generators/holds.ts";
import { clientOf, post } from "../../harness/oauth/oauth-client.ts";
import { acknowledge } from "../../harness/overlay/overlay-page.ts";
import { needsOwnProcess, type Process, startProcess } from "../../harness/server/process.ts";
import { keyOf, target } from "../../harness/server/target.ts";

// Waits as each Retry-After says. A bucket of this process holds one token and gains the next one after 2.4 s: a time that is rounded down, or
// to the nearest second, is too short. Each request is judged by the time at which it was sent or answered, so that a slow
// machine makes a rule prove less and never fail.

const policies = ["create", "read", "export", "control", "overlay", "token"];
/** Tenths of a second until a bucket has its next token. */
const period = 24;
const limits = [...policies, "failed"].map((name) => `${name}=10/${period}/1`).join(",");

let limited: Process | null = null;
beforeAll(async () => {
  const { operator } = target();
  if (operator) limited = await startProcess(operator, "retry-after", { RATE_LIMITS: limits });
});
afterAll(() => limited?.stop());
beforeEach(needsOwnProcess);

type Ask = (server: string) => Promise<Reply>;
type Timed = { reply: Reply; sentAt: number; answeredAt: number };

async function timed(ask: () => Promise<Reply>): Promise<Timed> {
  const sentAt = performance.now();
  const reply = await ask();
  return { reply, sentAt, answeredAt: performance.now() };
}

/** Asks until the request is refused. */
async function untilRefused(ask: () => Promise<Reply>): Promise<Timed> {
  for (let tries = 0; tries < 50; tries += 1) {
    const one = await timed(ask);
    if (one.reply.status === 429) return one;
  }
  throw new Error("fifty requests in a row passed a limit of one at a time");
}

/** The Retry-After of a refusal is long enough, and by less than a second too long. */
async function expectTrueRetryAfter(ask: () => Promise<Reply>): Promise<void> {
  const refused = await untilRefused(ask);
  const seconds = Number(refused.reply.headers["retry-after"]);
  expect(seconds, "Retry-After").toBeOneOf(Array.from({ length: Math.ceil(period / 10) }, (_, index) => index + 1));
  // The token comes more than `seconds - 1` after the refusal was decided, which was after the request was sent.
  const neverBefore = refused.sentAt + (seconds - 1) * 1000;
  await sleep(Math.max(0, neverBefore - 300 - performance.now()));
  const early = await timed(ask);
  if (early.answeredAt < neverBefore) expect(early.reply.status, "a request before Retry-After, less a second").toBe(429);
  if (early.reply.status !== 429) return; // it took the token
  await sleep(refused.answeredAt + seconds * 1000 - performance.now());
  expect((await ask()).status, `a request ${seconds} s after the refusal, as Retry-After says`).not.toBe(429);
}

const nothing = "01932f6e-8a00-7000-8000-3f1e5a7c9b21";

const asks = (context: Parameters<typeof keyOf>[0]): Record<string, Ask> => {
  const [key, overlay] = [keyOf(context, "main"), keyOf(context, "overlay")];
  const { id, secret } = clientOf("second");
  const refreshing = { grant_type: "refresh_token", refresh_token: "none", client_id: id, client_secret: secret ?? "" };
  // Invalid requests count as well, and an invalid export does not keep the next one waiting.
  return {
    create: (server) => create(donation({ skipAlert: true }), { key, server }),
    read: (server) => list({ limit: 1 }, { key, server }),
    export: (server) => send({ path: "/api/v1/donations/export?sort=none", key, server }),
    control: (server) => send({ method: "POST", path: `/api/v1/donations/${nothing}/replay`, key, server }),
    overlay: (server) => acknowledge("ended", nothing, { player: "p", key: overlay, server }),
    token: (server) => post("/oauth/token", refreshing, { server }),
  };
};

const there = (): string => limited?.url ?? "";

test("Retry-After of every limit is the time to the next token, rounded up: requests before it are refused, and one after it passes", async (context) => {
  const all = asks(context);
  await holdsForEach(policies, (policy) => expectTrueRetryAfter(() => (all[policy] as Ask)(there())), policies.length);
});

// Runs last: afterwards this address is refused for a while.
test("Retry-After of an address with too many invalid credentials is rounded up: one more is refused before it, and not after it", () =>
  expectTrueRetryAfter(() => me({ key: "namjai_v1_made_up", server: there() })));
