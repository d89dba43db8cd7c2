import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { create, expectProblem, list, listAll, me, recorded, replayed } from "../../harness/client/api.ts";
import type { Reply } from "../../harness/client/http-client.ts";
import { remember } from "../../harness/client/secrets.ts";
import { fullDonation } from "../../harness/generators/donations.ts";
import { clientOf, expectRevoked, needsClients, newGrant, post, revoke } from "../../harness/oauth/oauth-client.ts";
import { donate, freshQueue } from "../../harness/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, type Page } from "../../harness/overlay/overlay-page.ts";
import { type Crowd, gather } from "../../harness/server/load-generator.ts";
import { keyOf, target } from "../../harness/server/target.ts";
import { type Crew, killWorker, startCrew } from "../../harness/server/worker-server.ts";

// One server with two workers, on the database of the server under test, which is asked for what was recorded.

const limits = { RATE_LIMITS: "read=1/600/10,failed=1/600/400,failed-client=6/600/6,create=1000000/1" };

beforeEach(needsClients);
afterEach(() => closePages());

const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));
const count = (replies: Reply[], status: number): number => replies.filter((reply) => reply.status === status).length;

/** It was told so, when it came or later. */
const plays = ({ events }: Page): boolean => events.some(({ data }) => "role" in data && data.role === "player");

/** Every request got an answer. On a machine that is too busy it may be 503, which says that nothing was recorded. */
function expectAnswered({ refused, unanswered }: Crowd): void {
  expect([refused.filter((status) => status !== 503), unanswered]).toEqual([[], []]);
}

/** What was answered was recorded, once each. */
async function kept({ answered, identifier }: Crowd): Promise<void> {
  expect(answered.size).toBeGreaterThan(20);
  const stored = await listAll({ identifier, limit: 100 });
  const keys = stored.map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size, "donations of different keys").toBe(keys.length);
  const ids = new Set(stored.map(({ id }) => id));
  expect([...answered.values()].filter(({ id }) => !ids.has(id))).toEqual([]);
}

describe("two workers", () => {
  let crew: Crew | null = null;
  beforeAll(async () => {
    const { operator } = target();
    crew = operator && (await startCrew(operator, "workers", limits));
  });
  afterAll(() => crew?.stop());

  /** Every request has a connection of its own: the next one goes to the other worker. */
  const at = () => ({ server: crew?.url ?? "", headers: { Connection: "close" } });

  test("share the requests, say who they are, and that they listen once", async () => {
    await times(16, () => me(at()));
    const served = async (worker: number) => new RegExp(`"worker":${worker},.*"operation":"getMe"`).test((await crew?.said()) ?? "");
    for (const worker of [1, 2]) await expect.poll(() => served(worker), { timeout: 5_000 }).toBe(true);
    expect((await crew?.said())?.match(/^Listening on /gm)).toHaveLength(1);
  });

  test("record one donation for one idempotency key, however many ask at once", async () => {
    const body = fullDonation();
    const replies = await times(64, async () => {
      for (;;) {
        const reply = await create(body, at());
        if (reply.status !== 409) return reply; // it is being recorded
        await sleep(50);
      }
    });
    expect([count(replies, 201), count(replies, 200)]).toEqual([1, 63]);
    const [original] = replies.filter(({ status }) => status === 201).map(recorded);
    for (const reply of replies) if (reply.status === 200) expect(replayed(reply)).toEqual(original);
    expect(await listAll({ identifier: String(body.identifier) })).toEqual([original]);
  });

  test("count a credential's requests together", async (context) => {
    const key = keyOf(context, "quiet");
    const replies = await times(30, () => list({ limit: 1 }, { key, ...at() }));
    expect([count(replies, 200), count(replies, 429)]).toEqual([10, 20]);
    const left = replies
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(/;r=(\d+)/.exec(String(headers.ratelimit))?.[1]));
    expect(left.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (let index = 0; index < 4; index += 1) expectProblem(await list({ limit: 1 }, { key, ...at() }), 429, "rate_limited");
  });

  test("count guesses of a client's secret together", async () => {
    const guess = "guess-at-several-workers";
    remember(guess);
    const asked = { grant_type: "refresh_token", refresh_token: "x", client_id: clientOf("readOnly").id, client_secret: guess };
    const replies = await times(12, () => post("/oauth/token", asked, at()));
    expect([count(replies, 401), count(replies, 429)]).toEqual([6, 6]);
  });

  test("refuse what is revoked within a second, both", async () => {
    const client = clientOf("confidential");
    const { access_token: key } = await newGrant(client);
    for (const { status } of await times(8, () => me({ key, ...at() }))) expect(status).toBe(200);
    expectRevoked(await revoke(client, key, {}, at()));
    await sleep(1_000);
    for (const reply of await times(8, () => me({ key, ...at() }))) expectProblem(reply, 401, "token_revoked");
  });

  test("play each alert once, in the order of their donations, whichever of them took it", async () => {
    await freshQueue();
    const [page, other] = [await follow(at()), await follow(at())];
    await expect.poll(() => [page, other].filter(plays).length, { timeout: 10_000 }).toBe(1); // once an earlier rule's lease is over
    const player = plays(page) ? page : other;
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await donate({}, at())).id);
    for (const id of ids) {
      const playback = await player.next("playback");
      expect(playback.donationId).toBe(id);
      for (const step of ["started", "ended"] as const)
        expect((await acknowledge(step, playback.id, { player: player.player, server: crew?.url })).status).toBe(200);
    }
    await player.nothing("playback");
  });

  test("are measured together", async () => {
    const series = 'http_request_duration_seconds_count{operation="createDonation",status="2xx"}';
    const before = (await crew?.metric(series)) ?? 0;
    await times(10, () => create(fullDonation(), at()));
    expect(await crew?.metric(series)).toBe(before + 10);
    expect(await crew?.metric("workers")).toBe(2);
  });

  test("one that is killed is replaced, and what was acknowledged stays", async () => {
    const crowd = gather(crew?.url ?? "", 8);
    await sleep(1_000);
    const [victim, survivor] = (await crew?.workers()) ?? [];
    process.kill(victim as number, "SIGKILL");
    await crew?.served(3);
    await sleep(500);
    crowd.leave();
    await crowd.gone;
    expect(new Set(crowd.refused)).toEqual(new Set());
    expect(crowd.unanswered.length, "those of the one that was killed").toBeLessThanOrEqual(8);
    const now = (await crew?.workers()) ?? [];
    expect([now.length, now.includes(survivor as number), now.includes(victim as number)]).toEqual([2, true, false]);
    expect(await crew?.metric("worker_failures_total")).toBe(1);
    await kept(crowd);
  });

  test("who is on the way to one that is killed is not left waiting", async () => {
    const [stopped] = (await crew?.workers()) ?? [];
    const before = (await crew?.said()) ?? "";
    process.kill(stopped as number, "SIGSTOP"); // takes nothing any more, and is handed its share all the same
    const asked = times(8, () =>
      create(fullDonation(), at()).then(
        ({ status }) => status,
        () => "closed",
      ),
    );
    await sleep(500);
    process.kill(stopped as number, "SIGKILL");
    const came = await Promise.race([asked, sleep(20_000, ["waiting"])]);
    expect(new Set(came)).toEqual(new Set([201, "closed"]));
    await crew?.served(before.split("this worker serves").length);
  });

  // Last: it takes two workers and brings two.
  test("SIGUSR2 replaces them one after the other: every request is answered", async () => {
    const before = await crew?.workers();
    const crowd = gather(crew?.url ?? "", 8);
    await sleep(500);
    process.kill(crew?.pid as number, "SIGUSR2");
    await crew?.served(6);
    await sleep(500);
    crowd.leave();
    await crowd.gone;
    expectAnswered(crowd);
    const now = (await crew?.workers()) ?? [];
    expect(now).toHaveLength(2);
    for (const pid of now) expect(before).not.toContain(pid);
    await kept(crowd);
  });
});

test.each([1, 2])("worker %i that is killed during its start is replaced, and the server serves", async (number) => {
  const { operator } = target();
  if (!operator) return;
  const mark = randomUUID();
  const [victim, crew] = await Promise.all([killWorker(number, mark), startCrew(operator, `started-${number}`, { ...limits, MARK: mark })]);
  expect(await crew.workers()).toHaveLength(2);
  expect(await crew.workers()).not.toContain(victim);
  expect((await me({ server: crew.url })).status).toBe(200);
  await crew.stop();
});

test.each([["1"], ["2"]])("SIGTERM under load, WORKERS=%s: no request is lost, no connection reset, and it ends well", async (workers) => {
  const { operator } = target();
  if (!operator) return;
  const crew = await startCrew(operator, `stopped-${workers}`, { ...limits, WORKERS: workers });
  const crowd = gather(crew.url, 16, { heeding: true });
  await expect.poll(() => crowd.answered.size, { timeout: 20_000 }).toBeGreaterThan(100);
  await crew.stop(); // throws unless it ends with 0
  await crowd.gone;
  expectAnswered(crowd);
  await kept(crowd);
});
