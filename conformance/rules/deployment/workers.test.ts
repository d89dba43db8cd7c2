import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { create, expectProblem, expectWithin, list, listAll, me, recorded, replayed } from "../../suite/client/api.ts";
import { clientOf, expectRevoked, newGrant, post, revoke } from "../../suite/client/oauth/oauth-client.ts";
import { donate, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, type Page } from "../../suite/client/overlay/overlay-page.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { needsOwnProcess, startProcess } from "../../suite/servers/start-server.ts";
import { killWorker, type LoadGenerator, startLoad, startWorkerServer, type WorkerServer } from "../../suite/servers/worker-server.ts";
import { fullDonation } from "../../suite/values/donations.ts";
import { remember } from "../../suite/values/redact.ts";
import { keyOf, oauth, target } from "../../suite/values/target.ts";

// One server with two workers on the database of the server under test; the latter reads what was recorded.

// A worker counts alone what its primary does not count in time: on a busy machine that would be soon.
const limits = { RATE_LIMIT_TIMEOUT_MS: "30000", RATE_LIMITS: "read=1/600/10,failed=1/600/400,failed-client=6/600/6,create=1000000/1" };

beforeEach(needsOwnProcess);
afterEach(() => closePages());

const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));
const count = (replies: Reply[], status: number): number => replies.filter((reply) => reply.status === status).length;

/** Whether the page is the player, by its snapshot or a later event. */
const plays = ({ events }: Page): boolean => events.some(({ data }) => "role" in data && data.role === "player");

/** Expects an answer to every request. On a busy machine it may be 503, which means that nothing was recorded. */
function expectAnswered({ refused, unanswered }: LoadGenerator): void {
  expect([refused.filter((status) => status !== 503), unanswered]).toEqual([[], []]);
}

/** Expects every acknowledged donation to be recorded exactly once. */
async function expectRecordedOnce({ answered, identifier }: LoadGenerator): Promise<void> {
  expect(answered.size).toBeGreaterThan(20);
  const stored = await listAll({ identifier, limit: 100 });
  const keys = stored.map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size, "donations of different keys").toBe(keys.length);
  const ids = new Set(stored.map(({ id }) => id));
  expect([...answered.values()].filter(({ id }) => !ids.has(id))).toEqual([]);
}

/** On a busy machine: every rule starts two processes or more. */
const patience = { timeout: 600_000 };

describe("two workers", patience, () => {
  let server: WorkerServer | null = null;
  beforeAll(async () => {
    const { operator } = target();
    server = operator && (await startWorkerServer(operator, "workers", limits));
  });
  afterAll(() => server?.stop());

  /** Every request has a connection of its own: any worker may accept the next one. */
  const at = () => ({ server: server?.url ?? "", headers: { Connection: "close" } });

  test("two workers share the requests, name themselves, and log once that they listen", async () => {
    const served = async (worker: number) => {
      await times(16, () => me(at()));
      return new RegExp(`"worker":${worker},.*"operation":"getMe"`).test((await server?.readLog()) ?? "");
    };
    for (const worker of [1, 2]) await expect.poll(() => served(worker)).toBe(true);
    // The primary says so when it has heard from both workers, which serve by then.
    const listening = async () => (await server?.readLog())?.split('"msg":"Listening on ').length;
    await expect.poll(listening).toBe(2);
  });

  test("two workers record one donation for one idempotency key, however many concurrent requests carry it", async () => {
    const body = fullDonation();
    const replies = await times(64, async () => {
      for (;;) {
        const reply = await create(body, at());
        if (reply.status !== 409 && reply.status !== 503) return reply; // the first one is still in flight, or the server is busy
        await sleep(50);
      }
    });
    expect([count(replies, 201), count(replies, 200)]).toEqual([1, 63]);
    const [original] = replies.filter(({ status }) => status === 201).map(recorded);
    for (const reply of replies) if (reply.status === 200) expect(replayed(reply)).toEqual(original);
    expect(await listAll({ identifier: String(body.identifier) })).toEqual([original]);
  });

  test("two workers count a credential's requests together", async (context) => {
    const key = keyOf(context, "quiet");
    const replies = await times(30, () => list({ limit: 1 }, { key, ...at() }));
    expect([count(replies, 200), count(replies, 429)]).toEqual([10, 20]);
    const left = replies
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(/;r=(\d+)/.exec(String(headers.ratelimit))?.[1]));
    expect(left.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (let index = 0; index < 4; index += 1) expectProblem(await list({ limit: 1 }, { key, ...at() }), 429, "rate_limited");
  });

  test("two workers count guesses of a client's secret together", async () => {
    const guess = "guess-at-several-workers";
    remember(guess);
    const asked = { grant_type: "refresh_token", refresh_token: "x", client_id: clientOf("readOnly").id, client_secret: guess };
    const replies = await times(12, () => post("/oauth/token", asked, at()));
    expect([count(replies, 401), count(replies, 429)]).toEqual([6, 6]);
  });

  test("two workers both refuse a revoked credential within a second", async () => {
    const client = clientOf("confidential");
    const { access_token: key } = await newGrant(client);
    // On the same eight connections each time, so that a worker which has not heard of it is asked again.
    const ask = () => times(8, () => me({ key, server: at().server }));
    for (const { status } of await ask()) expect(status).toBe(200);
    expectRevoked(await revoke(client, key, {}, at()));
    await expectWithin(1_000, async () => count(await ask(), 401), 8);
    for (const reply of await ask()) expectProblem(reply, 401, "token_revoked");
  });

  test("two workers play each alert once, in the order of their donations, whichever worker recorded it", async () => {
    await freshQueue();
    const [page, other] = [await follow(at()), await follow(at())];
    await expect.poll(() => [page, other].filter(plays).length).toBe(1); // once an earlier rule's lease is over
    const player = plays(page) ? page : other;
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await donate({}, at())).id);
    for (const id of ids) {
      const playback = await player.next("playback");
      expect(playback.donationId).toBe(id);
      for (const step of ["started", "ended"] as const)
        expect((await acknowledge(step, playback.id, { player: player.player, server: server?.url })).status).toBe(200);
    }
    await player.expectNothing("playback");
  });

  test("two workers report their metrics together", async () => {
    const series = 'http_request_duration_seconds_count{operation="createDonation",status="2xx"}';
    const before = (await server?.metric(series)) ?? 0;
    await times(10, () => create(fullDonation(), at()));
    expect(await server?.metric(series)).toBe(before + 10);
    expect(await server?.metric("workers")).toBe(2);
  });

  test("a killed worker is replaced, and acknowledged donations stay recorded", async () => {
    const load = startLoad(server?.url ?? "", 8);
    await sleep(1_000);
    const [victim, survivor] = (await server?.workers()) ?? [];
    process.kill(victim as number, "SIGKILL");
    await server?.waitForServing(3);
    await sleep(500);
    load.stop();
    await load.finished;
    expect(new Set(load.refused)).toEqual(new Set());
    expect(load.unanswered.length, "those of the one that was killed").toBeLessThanOrEqual(8);
    const now = (await server?.workers()) ?? [];
    expect([now.length, now.includes(survivor as number), now.includes(victim as number)]).toEqual([2, true, false]);
    expect(await server?.metric("worker_failures_total")).toBe(1);
    await expectRecordedOnce(load);
  });

  test("requests that arrive while a worker has stalled are answered by the other one, and its end takes none with it", async () => {
    const [stalled] = (await server?.workers()) ?? [];
    const before = (await server?.readLog()) ?? "";
    process.kill(stalled as number, "SIGSTOP"); // accepts nothing any more, but still has the port
    const first = times(8, () => create(fullDonation(), at()));
    expect(count(await first, 201)).toBe(8);
    const second = times(8, () => create(fullDonation(), at()));
    process.kill(stalled as number, "SIGKILL");
    expect(count(await second, 201)).toBe(8);
    await server?.waitForServing(before.split("this worker serves").length);
  });

  // Runs last: it replaces both workers.
  test("SIGUSR2 replaces the workers one after the other, and every request is answered", async () => {
    const before = await server?.workers();
    const load = startLoad(server?.url ?? "", 8);
    await sleep(500);
    process.kill(server?.pid as number, "SIGUSR2");
    await server?.waitForServing(6);
    await sleep(500);
    load.stop();
    await load.finished;
    expectAnswered(load);
    const now = (await server?.workers()) ?? [];
    expect(now).toHaveLength(2);
    for (const pid of now) expect(before).not.toContain(pid);
    await expectRecordedOnce(load);
  });
});

test.each([1, 2])("worker %i that is killed during its start is replaced, and the server serves", patience, async (number) => {
  const { operator } = target();
  if (!operator) return;
  const mark = randomUUID();
  const [victim, server] = await Promise.all([
    killWorker(number, mark),
    startWorkerServer(operator, `started-${number}`, { ...limits, MARK: mark }),
  ]);
  expect(await server.workers()).toHaveLength(2);
  expect(await server.workers()).not.toContain(victim);
  expect((await me({ server: server.url })).status).toBe(200);
  await server.stop();
});

test("SIGUSR2 as soon as the first worker serves replaces it when both serve, and the server goes on", patience, async () => {
  const { operator } = target();
  if (!operator) return;
  const name = "signalled-early";
  const server = await startProcess(operator, name, { ...limits, WORKERS: "2", TTS: "off" });
  process.kill(server.pid, "SIGUSR2");
  const served = async () => (await readFile(join(oauth().logs, `${name}.log`), "utf8")).split("this worker serves").length - 1;
  await expect.poll(served).toBeGreaterThanOrEqual(3);
  expect((await me({ server: server.url })).status).toBe(200);
  await server.stop(); // throws unless the server exits with 0
});

test.each([["1"], ["2"]])(
  "SIGTERM under load, WORKERS=%s: no request is lost, no connection is reset, and the server exits with 0",
  patience,
  async (workers) => {
    const { operator } = target();
    if (!operator) return;
    const server = await startWorkerServer(operator, `stopped-${workers}`, { ...limits, WORKERS: workers });
    const load = startLoad(server.url, 16, { heeding: true });
    await expect.poll(() => load.answered.size).toBeGreaterThan(100);
    await server.stop(); // throws unless the server exits with 0
    await load.finished;
    expectAnswered(load);
    await expectRecordedOnce(load);
  },
);
