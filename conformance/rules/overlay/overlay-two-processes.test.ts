import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { get, readDonation } from "../../suite/client/api.ts";
import {
  change,
  control,
  donate,
  freshQueue,
  latestCreatedAt,
  queue,
  queueOf,
  settings,
  settingsOf,
} from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, firstPlayback, follow, type Page, type Playback } from "../../suite/client/overlay/overlay-page.ts";
import { databaseUrl } from "../../suite/servers/database.ts";
import { type Redis, startRedis } from "../../suite/servers/redis.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { type Operator, operatorOf, target } from "../../suite/values/target.ts";

// Two processes of our own on the database of the server under test, which makes them three.

/** Maximum time from a donation's 201 to its effect: the poll of a second, and slack for a busy machine. */
const latestMs = 3_000;

/** Opens a page and waits until it may play: the previous player may keep its lease for some seconds. */
async function player(place: Parameters<typeof follow>[0]): Promise<Page> {
  const page = await follow(place);
  const { role } = await page.next("snapshot");
  if (role !== "player") await page.next("role", (told) => told.role === "player");
  return page;
}

/** Alerts without speech: the time of a speech engine is not tested here. */
const start = (operator: Operator, name: string, others: Record<string, string> = {}): Promise<Process> =>
  startProcess(operator, name, { TTS: "off", ...others });

const at = (process: Process | null): { server: string } => ({ server: process?.url ?? "" });

async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  expect(performance.now() - began, "ms").toBeLessThanOrEqual(ms);
  return result;
}

beforeEach(async (context) => {
  needsOwnProcess(context as never);
  await freshQueue();
});
afterEach(() => closePages());

type Kind = "process" | "postgres" | "redis";

/** The broker that processes listen to, and how to interrupt it. */
type Broker = { env: Record<string, string>; listeners: () => Promise<number>; without: <T>(work: () => Promise<T>) => Promise<T> };

const listeners: Record<Kind, number> = { process: 0, postgres: 2, redis: 2 };

async function brokerOf(kind: Kind, operator: Operator): Promise<{ broker: Broker | null; close: () => Promise<void> }> {
  if (kind === "redis") return overRedis(await startRedis());
  if (kind === "postgres") return overPostgres(await databaseUrl(operator.env));
  return { broker: { env: { NOTIFIER: "process" }, listeners: async () => 0, without: (work) => work() }, close: async () => {} };
}

function overRedis(redis: Redis | null): Awaited<ReturnType<typeof brokerOf>> {
  if (!redis) return { broker: null, close: async () => {} };
  const broker: Broker = {
    env: { REDIS_URL: redis.url }, // and so NOTIFIER=redis
    listeners: async () => Number(((await redis.command("PUBSUB", "NUMSUB", "namjai:overlay")) as unknown[])[1]),
    without: async (work) => {
      await redis.stop();
      return work().finally(redis.start);
    },
  };
  return { broker, close: redis.stop };
}

/** The broker is PostgreSQL: interrupting it means to end listening sessions as soon as they appear. */
async function overPostgres(url: string): Promise<Awaited<ReturnType<typeof brokerOf>>> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  const sessions = "from pg_stat_activity where application_name = 'donations notifier' and datname = current_database()";
  const broker: Broker = {
    env: { NOTIFIER: "postgres" },
    listeners: async () => Number((await client.query(`select count(*) ${sessions}`)).rows[0].count),
    without: async (work) => {
      let over = false;
      const ending = (async () => {
        while (!over) {
          await client.query(`select pg_terminate_backend(pid) ${sessions}`);
          await sleep(5);
        }
      })();
      return work().finally(() => {
        over = true;
        return ending;
      });
    },
  };
  return { broker, close: () => client.end() };
}

describe.each<Kind>(["process", "postgres", "redis"])("NOTIFIER=%s", (kind) => {
  let broker: Broker | null = null;
  let here: Process | null = null;
  let there: Process | null = null;
  let close = async (): Promise<void> => {};

  beforeAll(async () => {
    const { operator } = target();
    if (!operator) return;
    ({ broker, close } = await brokerOf(kind, operator));
    if (!broker) return;
    const { env } = broker;
    const named = (name: string) => start(operator, `overlay-${kind}-${name}`, env);
    [here, there] = await Promise.all([named("here"), named("there")]);
  });
  afterAll(async () => {
    closePages(); // the server would end a stream that is still open when it stops
    await Promise.all([here?.stop(), there?.stop()]);
    await close();
  });
  beforeEach(async (context) => {
    if (!broker) context.skip("not run: there is no redis-server (apt-get install redis-server)");
    await expect.poll(() => broker?.listeners()).toBe(listeners[kind]);
  });

  /** Expects this page to play a donation to the other process, and its widgets to count it. */
  async function arrives(page: Page): Promise<Playback> {
    const { id } = await donate({ createdAt: latestCreatedAt() }, at(there));
    return within(latestMs, async () => {
      const playback = await page.next("playback", ({ donationId }) => donationId === id);
      await page.next("widgets", ({ recent }) => recent[0]?.donationId === id);
      return playback;
    });
  }

  async function acknowledged(playback: Playback, page: Page, ...servers: (Process | null)[]): Promise<void> {
    for (const [index, step] of (["started", "ended"] as const).entries()) {
      const { player } = page;
      expect((await acknowledge(step, playback.id, { player, ...at(servers[index] ?? null) })).status).toBe(200);
    }
    for (const server of [here, there]) {
      const shown = readDonation(await get(playback.donationId, at(server)));
      expect(shown.alert).toMatchObject({ status: "shown", reason: null });
    }
  }

  test("a donation to the other process is played on this one; either process accepts the acknowledgements", async () => {
    const page = await player(at(here));
    await acknowledged(await arrives(page), page, there, here);
    await acknowledged(await arrives(page), page, here, there);
    await acknowledged(await arrives(page), page, there, there);
    await page.expectNothing("playback");
    for (const server of [here, there])
      expect(queueOf(await queue(at(server)))).toMatchObject({ connected: true, playing: null, waitingCount: 0 });
  });

  test("donations to both processes are played in the order of recording, one after the other", async () => {
    const page = await player(at(here));
    const donated: string[] = [];
    for (let i = 0; i < 6; i += 1) donated.push((await donate({}, at(i % 2 ? here : there))).id);
    const played: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      const playback = await page.next("playback");
      played.push(playback.donationId);
      if (i === 0) await page.expectNothing("playback");
      await acknowledged(playback, page, i % 2 ? here : there, i % 3 ? here : there);
    }
    expect(played).toEqual(donated);
  });

  test("a control sent to the other process takes effect on this one", async () => {
    const page = await player(at(here));
    const playback = await arrives(page);
    expect((await acknowledge("started", playback.id, { player: page.player, ...at(here) })).status).toBe(200);
    queueOf(await control("skip", at(there)));
    await within(latestMs, () => page.next("stop", ({ playbackId }) => playbackId === playback.id));
    queueOf(await control("pause", at(there)));
    await within(latestMs, () => page.next("settings", ({ paused }) => paused));
    expect(settingsOf(await change({ volume: 11 }, at(there))).volume).toBe(11);
    await within(latestMs, () => page.next("settings", ({ settings: { volume } }) => volume === 11));
    expect(settingsOf(await settings(at(here))).volume).toBe(11);
  });

  test("a donation is found by polling while the broker is away, and through the broker once it is back", async () => {
    const page = await player(at(here));
    await broker?.without(async () => {
      await acknowledged(await arrives(page), page, there, here);
      await acknowledged(await arrives(page), page, here, there);
    });
    await expect.poll(() => broker?.listeners()).toBe(listeners[kind]);
    await acknowledged(await arrives(page), page, there, there);
  });
});

describe("the process that holds the stream is killed in mid-play", () => {
  let processes: [Process, Process] | null = null;
  beforeAll(async () => {
    const { operator } = target();
    if (operator) processes = [await start(operator, "overlay-first"), await start(operator, "overlay-second")];
  });
  afterAll(async () => {
    closePages();
    await Promise.all(processes?.map(({ stop }) => stop()) ?? []);
  });

  /** The playback that the page has started, and the donations after it; both processes recorded some. */
  async function inMidPlay(page: Page, servers: readonly Process[]): Promise<{ playback: Playback; waiting: string[] }> {
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.push((await donate({}, at(servers[i % 2] ?? null))).id);
    const playback = await page.next("playback");
    expect(playback.donationId).toBe(ids[0]);
    expect((await acknowledge("started", playback.id, { player: page.player, ...at(servers[1] ?? null) })).status).toBe(200);
    return { playback, waiting: ids.slice(1) };
  }

  /** Plays to the end of the queue; returns what was played. */
  async function playOn(page: Page, first: Playback, count: number, server: Process): Promise<string[]> {
    const played = [first.donationId];
    expect((await acknowledge("started", first.id, { player: page.player, ...at(server) })).status).toBe(200);
    await page.expectNothing("playback"); // nothing plays beside it
    expect((await acknowledge("ended", first.id, { player: page.player, ...at(server) })).status).toBe(200);
    for (let i = 0; i < count; i += 1) {
      const playback = await page.next("playback");
      played.push(playback.donationId);
      for (const step of ["started", "ended"] as const)
        expect((await acknowledge(step, playback.id, { player: page.player, ...at(server) })).status).toBe(200);
    }
    await page.expectNothing("playback");
    return played;
  }

  // A page that names its playback continues it; a reloaded page plays it again.
  test.for([
    ["goes on, nothing else plays meanwhile, and the order is kept", true],
    ["plays it again, if it does not know of it any more", false],
  ] as const)("a page whose process was killed in mid-play connects to the other one and %s", async ([, knows], context) => {
    const operator = operatorOf(context as never);
    if (!processes) throw new Error("there are processes where there is an operator");
    const [victim, survivor] = processes;
    const page = await player(at(victim));
    const another = await follow(at(survivor)); // takes over when the lease of the other one has ended
    expect(await another.next("snapshot")).toMatchObject({ role: "standby", playback: null });
    const { playback, waiting } = await inMidPlay(page, processes);

    await victim.kill();
    await page.ended;
    const back = await follow({ player: page.player, ...(knows ? { playing: playback.id } : {}), ...at(survivor) });
    const again = await within(latestMs, () => firstPlayback(back));
    expect(again).toMatchObject({ id: playback.id, donationId: playback.donationId });
    expect(await playOn(back, again, 2, survivor)).toEqual([playback.donationId, ...waiting]);
    expect(another.events.filter(({ event, data }) => event === "role" && (data as { role: string }).role === "player")).toEqual([]);
    for (const id of [playback.donationId, ...waiting]) expect(readDonation(await get(id)).alert.status).toBe("shown");
    processes = [survivor, await start(operator, `overlay-after-${knows}`)];
  });

  test("a page that does not come back after its process was killed leaves its alert to a page that shows it, which acknowledges its end and plays on", async (context) => {
    const operator = operatorOf(context as never);
    if (!processes) throw new Error("there are processes where there is an operator");
    const [victim, survivor] = processes;
    const page = await player(at(victim));
    const another = await follow(at(survivor));
    expect((await another.next("snapshot")).role).toBe("standby");
    const { playback, waiting } = await inMidPlay(page, processes);

    await another.next("playback", ({ elapsedMs }) => elapsedMs !== null);
    await victim.kill();
    // The lease lasts 8 seconds.
    await expect.poll(() => another.events.some(({ event }) => event === "role"), { timeout: 40_000, interval: 100 }).toBe(true);
    expect((await acknowledge("ended", playback.id, { player: another.player, ...at(survivor) })).status).toBe(200);
    expect(readDonation(await get(playback.donationId)).alert.status).toBe("shown");
    const next = await another.next("playback", ({ id }) => id !== playback.id);
    expect(await playOn(another, next, 1, survivor)).toEqual(waiting);
    processes = [survivor, await start(operator, "overlay-last")];
  });
});
