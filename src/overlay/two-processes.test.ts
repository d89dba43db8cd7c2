import fc from "fast-check";
import type { Knex } from "knex";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hub } from "./hub.ts";
import { settleAbandoned } from "./store/abandoned.ts";
import { clearWaiting, replay, setPaused, skipPlaying } from "./store/controls.ts";
import { openWorld, type Page, visit, type World } from "./testing.ts";
import { usualTimes } from "./timeouts.ts";

// Two server processes over one database, players that come and go as they like, and whatever a streamer does meanwhile.

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

type Command =
  | { do: "donate" | "skip" | "clear" | "replay" | "sweep" }
  | { do: "pause"; paused: boolean }
  | { do: "come"; at: number; player: string; goesOn: boolean }
  | { do: "leave" | "start" | "end"; page: number }
  | { do: "kill"; at: number }
  | { do: "pass"; ms: number };

const one = (name: "donate" | "skip" | "clear" | "replay" | "sweep") => fc.constant<Command>({ do: name });
const page = fc.nat(5);
const at = fc.nat(1);
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: one("donate") },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("come" as const), at, player: fc.constantFrom("p", "q"), goesOn: fc.boolean() }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("start" as const, "end" as const), page }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("leave" as const), page }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(1_000, 8_100, 10_100, 65_000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), at }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), paused: fc.boolean() }) },
    one("skip"),
    one("clear"),
    one("replay"),
    one("sweep"),
  ),
  { minLength: 10, maxLength: 40 },
);

/** A page as it sees itself. */
type Seen = {
  number: number;
  page: Page;
  player: string;
  hub: Hub;
  read: number;
  given: { id: string; donationId: string; replay: boolean } | null;
};
type Process = { hub: Hub; pool: Knex; dead: boolean };

type Run = ReturnType<typeof newRun>;

/** What goes on in one run. */
function newRun(streamerId: string) {
  const failures: string[] = [];
  const donations: string[] = [];
  /** First showings that were handed out, in that order. */
  const handed: string[] = [];
  const ended = new Set<string>();
  const pages: Seen[] = [];
  /** Handed out after its end, because both happened at once: the page must be told to stop. */
  const late = new Set<string>();

  const newProcess = (): Process => {
    const process: Process = { hub: null as unknown as Hub, pool: world.newPool(), dead: false };
    const log = pino({ level: "warn" }, { write: (line: string) => void (process.dead || failures.push(line)) });
    process.hub = world.newHub({ knex: process.pool, log, times: { poll: 15, retry: 20 } });
    return process;
  };
  const processes = [newProcess(), newProcess()];

  let opened = 0;
  const come = async (at: number, player: string, goesOn = false) => {
    const { hub } = processes[at] as Process;
    const before = pages.find((one) => one.player === player);
    const playing = goesOn ? (before?.given?.id ?? null) : null;
    const page = await visit({ knex: world.knex, hub, streamerId, player, playing });
    pages.push({ number: (opened += 1), page, player, hub, read: 0, given: null });
  };

  /** Looks at what the pages were told since. */
  const listen = () => {
    for (const seen of pages)
      for (; seen.read < seen.page.events.length; seen.read += 1) {
        const { event, data } = seen.page.events[seen.read] as Page["events"][number];
        if (event === "playback") give(seen, data);
        if (event === "snapshot") give(seen, data.playback);
        if (event === "stop") stop(seen, data.playbackId);
      }
  };

  const give = (seen: Seen, given: Seen["given"]) => {
    seen.given = given;
    if (!given) return;
    if (ended.has(given.id)) late.add(`${given.id} to ${seen.number}`);
    if (!given.replay && !handed.includes(given.donationId)) handed.push(given.donationId);
  };

  const stop = (seen: Seen, id: string) => {
    late.delete(`${id} to ${seen.number}`);
    if (seen.given?.id === id) seen.given = null;
  };

  const forget = (gone: readonly Seen[]) => {
    for (const { number } of gone) for (const one of late) if (one.endsWith(` to ${number}`)) late.delete(one);
  };

  const acknowledge = async (index: number, step: "start" | "end") => {
    listen();
    const seen = pages[index];
    if (!seen?.given) return;
    const { id } = seen.given;
    const answer = step === "start" ? await seen.page.started(id) : await seen.page.ended(id);
    if (answer === "unknown") failures.push(`${id} was handed out and is unknown`);
    if (answer === "conflict" || step === "end") seen.given = null;
    if (answer !== "conflict" && step === "end") ended.add(id);
  };

  const end = async (process: Process) => {
    process.dead = true;
    await process.pool.destroy();
  };

  const remove = (which: (seen: Seen) => boolean) => {
    const gone = pages.filter(which);
    for (const seen of gone) pages.splice(pages.indexOf(seen), 1);
    return gone;
  };

  const leave = (...leaving: (Seen | undefined)[]) => {
    const gone = remove((seen) => leaving.includes(seen));
    for (const { page } of gone) page.leave();
    forget(gone);
  };

  /** The process is gone from one moment to the next, its connections with it. */
  const kill = async (at: number) => {
    const process = processes[at] as Process;
    processes[at] = newProcess();
    forget(remove(({ hub }) => hub === process.hub));
    await end(process);
  };

  const execute = async (command: Command) => {
    const { knex } = world;
    if (command.do === "donate") donations.push(await world.donate(streamerId));
    if (command.do === "skip") await skipPlaying(knex, streamerId);
    if (command.do === "clear") await clearWaiting(knex, streamerId);
    if (command.do === "pause") await setPaused(knex, streamerId, command.paused);
    if (command.do === "replay" && donations[0]) await replay(knex, streamerId, donations[0], false);
    if (command.do === "sweep") await settleAbandoned({ knex, times: usualTimes, speaks: false });
    if (command.do === "pass") await world.age(streamerId, command.ms);
    if (command.do === "kill") await kill(command.at);
    if (command.do === "come") await come(command.at, command.player, command.goesOn);
    if (command.do === "leave") leave(pages[command.page]);
    if (command.do === "start" || command.do === "end") await acknowledge(command.page, command.do);
    listen();
  };

  const finish = async () => {
    for (const { hub } of processes) hub.leave();
    for (const { hub } of processes) await hub.close();
    for (const process of processes) await end(process);
  };

  return { streamerId, failures, donations, handed, late, pages, leave, come, listen, acknowledge, execute, finish };
}

/** Somebody who plays everything that there still is. */
async function playOut(run: Run): Promise<void> {
  await setPaused(world.knex, run.streamerId, false);
  run.leave(...run.pages);
  await world.age(run.streamerId, 20_000);
  await run.come(0, "last");
  const deadline = performance.now() + 20_000;
  while (await anythingOpen(run.streamerId)) {
    if (performance.now() > deadline) throw new Error(`stuck: ${JSON.stringify(await world.states(run.streamerId))}`);
    run.listen();
    await run.acknowledge(0, "start");
    await run.acknowledge(0, "end");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function anythingOpen(streamerId: string): Promise<boolean> {
  const open = ["preparing", "queued", "leased", "playing"];
  const [alert] = await world.knex("alerts").where("streamer_id", streamerId).whereIn("status", open).limit(1);
  const [playback] = await world.knex("playbacks").where("streamer_id", streamerId).whereIn("state", open).limit(1);
  return alert !== undefined || playback !== undefined;
}

test("whatever happens: one at a time, in order, nothing after its end, and everything comes to an end", async () => {
  const property = fc.asyncProperty(commands, async (all) => {
    const run = newRun(await world.newStreamer());
    for (const command of all) await run.execute(command);
    await playOut(run);
    const late = () => {
      run.listen();
      return [...run.late];
    };
    await expect.poll(late).toEqual([]);
    expect(run.failures).toEqual([]);
    expect(run.handed, "order").toEqual(run.donations.filter((id) => run.handed.includes(id)));
    const mirrored = await world.knex.raw(
      `select a.status, p.state from alerts a
       join lateral (select state from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id
         order by number desc limit 1) p on true
       where a.streamer_id = ? and a.status <> p.state`,
      [run.streamerId],
    );
    expect(mirrored.rows).toEqual([]);
    await run.finish();
  });
  await fc.assert(property, { numRuns: 25, endOnFailure: true });
}, 180_000);

test("two processes that are asked at the same moment hand one playback out once", async () => {
  const hubs = [world.newHub(), world.newHub()];
  for (let round = 0; round < 10; round += 1) {
    const streamerId = await world.newStreamer();
    await world.donate(streamerId);
    const pages = await Promise.all(
      hubs.flatMap((hub, index) => [0, 1].map((n) => visit({ knex: world.knex, hub, streamerId, player: `p${index}${n}` }))),
    );
    const snapshots = await Promise.all(pages.map((page) => page.nextOf("snapshot")));
    expect(snapshots.map(({ role }) => role).sort()).toEqual(["player", "standby", "standby", "standby"]);
    expect(snapshots.filter(({ playback }) => playback !== null)).toHaveLength(1);
  }
});
