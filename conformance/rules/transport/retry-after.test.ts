import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { create, list, me } from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
import { clientOf, post } from "../../suite/client/oauth/oauth-client.ts";
import { acknowledge } from "../../suite/client/overlay/overlay-page.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { donation } from "../../suite/values/donations.ts";
import { keyOf, target } from "../../suite/values/target.ts";

// Waits as each Retry-After says. A bucket of this process holds one token and gains the next one after 1.4 s: a time that is rounded down, or
// to the nearest second, is too short. Each request is judged by the time at which it was sent or answered, so that a slow
// machine makes a rule prove less and never fail.

const policies = ["create", "read", "export", "control", "overlay", "token"];
/** Tenths of a second until a bucket has its next token. */
const period = 14;
const periodMs = period * 100;
const limits = [...policies, "failed"].map((name) => `${name}=10/${period}/1`).join(",");
/** Milliseconds from a token to the request that is refused: once Retry-After is 1, and once 2. A new process is slow at first, when it matters less. */
const delaysMs = [600, 0];
/** The server's clock counts whole milliseconds. */
const clockMs = 5;

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

/** The request that took a token, and the next one, which was refused. */
type Refusal = { taken: Timed; refused: Timed };

/** Asks again, so long after the token was taken, until a request is refused. */
async function untilRefused(ask: () => Promise<Reply>, taken: Timed, delayMs: number): Promise<Refusal> {
  let last = taken;
  for (let tries = 0; tries < 50; tries += 1) {
    await sleep(delayMs);
    const next = await timed(ask);
    if (next.reply.status === 429) return { taken: last, refused: next };
    last = next;
  }
  throw new Error("fifty requests in a row passed a limit of one at a time");
}

/** Every Retry-After that is right, as far as the times of both requests tell when the server decided on them. */
function possibleSeconds({ taken, refused }: Refusal): number[] {
  const shortest = periodMs - (refused.answeredAt - taken.sentAt) - clockMs;
  const longest = periodMs - (refused.sentAt - taken.answeredAt) + clockMs;
  const [from, to] = [shortest, longest].map((ms) => Math.max(1, Math.ceil(ms / 1000))) as [number, number];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** The Retry-After of a refusal is the time to the next token, rounded up. */
async function expectTrueRetryAfter(ask: () => Promise<Reply>): Promise<void> {
  let last = await timed(ask);
  for (const delayMs of delaysMs) {
    const refusal = await untilRefused(ask, last, delayMs);
    const seconds = Number(refusal.refused.reply.headers["retry-after"]);
    expect(seconds, "Retry-After").toBeOneOf(possibleSeconds(refusal));
    const neverBefore = refusal.taken.sentAt + periodMs - clockMs;
    await sleep(Math.max(0, neverBefore - 200 - performance.now()));
    const early = await timed(ask);
    if (early.answeredAt < neverBefore) expect(early.reply.status, "a request before the next token").toBe(429);
    last = early.reply.status === 429 ? await askOnTime(ask, refusal.refused.answeredAt, seconds) : early;
  }
}

async function askOnTime(ask: () => Promise<Reply>, refusedAt: number, seconds: number): Promise<Timed> {
  await sleep(Math.max(0, refusedAt + seconds * 1000 - performance.now()));
  const onTime = await timed(ask);
  expect(onTime.reply.status, `a request ${seconds} s after the refusal, as Retry-After says`).not.toBe(429);
  return onTime;
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
