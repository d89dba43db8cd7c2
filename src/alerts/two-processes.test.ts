import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import type { Knex } from "knex";
import { pino } from "pino";
import { expect, test } from "vitest";
import { newId } from "../db/ids.ts";
import type { Hub } from "./connections/hub.ts";
import { settleAbandoned } from "./queue/advance.ts";
import { chooseLeader } from "./queue/connected-pages.ts";
import { clearWaiting, putNext, setPaused, skipOne, skipPlaying } from "./queue/controls.ts";
import { replay } from "./queue/intake.ts";
import { connectPage, type Page, useOverlayFixture } from "./testing.ts";

// Random sequences of commands in two server processes over one database: donations, pages that connect and disconnect, and a streamer's controls.

const fixture = useOverlayFixture();

type Command =
  | { do: "donate" | "skip" | "clear" | "replay" | "sweep" }
  | { do: "skip one" | "put next"; donation: number }
  | { do: "pause"; paused: boolean }
  | { do: "connect"; at: number; player: string; resumes: boolean; isInObs: boolean }
  | { do: "disconnect" | "start" | "end" | "lead"; page: number }
  | { do: "kill"; at: number }
  | { do: "pass"; ms: number };

const one = (name: "donate" | "skip" | "clear" | "replay" | "sweep") => fc.constant<Command>({ do: name });
const page = fc.nat(5);
const at = fc.nat(1);
const donation = fc.nat(9);
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: one("donate") },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("connect" as const),
        at,
        player: fc.constantFrom("p", "q", "r"),
        resumes: fc.boolean(),
        isInObs: fc.boolean(),
      }),
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("start" as const, "end" as const), page }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("disconnect" as const), page }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("lead" as const), page }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(1_000, 8_100, 10_100, 65_000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), at }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), paused: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("skip one" as const, "put next" as const), donation }) },
    one("skip"),
    one("clear"),
    one("replay"),
    one("sweep"),
  ),
  { minLength: 10, maxLength: 40 },
);

/** A connected page, and the playback that it has been handed. `readEvents`: how many of its events have been read. */
type PageState = {
  number: number;
  page: Page;
  player: string;
  hub: Hub;
  readEvents: number;
  current: { id: string; donationId: string; replay: boolean } | null;
};
type Process = { hub: Hub; pool: Knex; isKilled: boolean };

/** The state of one run of the property. */
type Run = {
  streamerId: string;
  processes: Process[];
  pages: PageState[];
  /** How many pages have connected so far. */
  connected: number;
  /** Log lines of the processes, and answers that no page may get. */
  failures: string[];
  donations: string[];
  /** Donations that were put before the others at some time. */
  putNext: Set<string>;
  /** Donations in the order in which their alerts were handed out; replays do not count. */
  handedOut: string[];
  ended: Set<string>;
  /** Playbacks that a page was handed after their end, because both happened at once: the page must be told to stop. */
  late: Set<string>;
};

function newRun(streamerId: string): Run {
  const run: Run = {
    streamerId,
    processes: [],
    pages: [],
    connected: 0,
    failures: [],
    donations: [],
    putNext: new Set(),
    handedOut: [],
    ended: new Set(),
    late: new Set(),
  };
  run.processes.push(startProcess(run), startProcess(run));
  return run;
}

function startProcess({ failures }: Run): Process {
  const process: Process = { hub: null as unknown as Hub, pool: fixture.newPool(), isKilled: false };
  const log = pino({ level: "warn" }, { write: (line: string) => void (process.isKilled || failures.push(line)) });
  process.hub = fixture.newHub({ knex: process.pool, log, times: { pollIntervalMs: 15, retryDelayMs: 20 } });
  return process;
}

/** The process ends from one moment to the next, its connections with it, and another one starts in its place. */
async function killProcess(run: Run, at: number): Promise<void> {
  const process = run.processes[at] as Process;
  run.processes[at] = startProcess(run);
  forgetLate(
    run,
    removePages(run, ({ hub }) => hub === process.hub),
  );
  await endProcess(process);
}

async function endProcess(process: Process): Promise<void> {
  process.isKilled = true;
  await process.pool.destroy();
}

type ConnectingPage = { at: number; player: string; resumes: boolean; isInObs: boolean };

/** `resumes`: the page says that it still plays what the player's last page was handed. */
async function connect(run: Run, { at, player, resumes, isInObs }: ConnectingPage): Promise<void> {
  const { hub } = run.processes[at] as Process;
  const before = run.pages.find((one) => one.player === player);
  const playing = resumes ? (before?.current?.id ?? null) : null;
  const page = await connectPage({ knex: fixture.knex, hub, streamerId: run.streamerId, player, playing, isInObs });
  run.connected += 1;
  run.pages.push({ number: run.connected, page, player, hub, readEvents: 0, current: null });
}

function disconnect(run: Run, ...leaving: (PageState | undefined)[]): void {
  const removed = removePages(run, (one) => leaving.includes(one));
  for (const { page } of removed) page.disconnect();
  forgetLate(run, removed);
}

function removePages({ pages }: Run, isRemoved: (one: PageState) => boolean): PageState[] {
  const removed = pages.filter(isRemoved);
  for (const one of removed) pages.splice(pages.indexOf(one), 1);
  return removed;
}

/** A page that is gone need not be told to stop. */
function forgetLate({ late }: Run, removed: readonly PageState[]): void {
  for (const { number } of removed) for (const one of late) if (one.endsWith(` to ${number}`)) late.delete(one);
}

/** Reads the events that the pages have received since the last call. */
function readEvents(run: Run): void {
  for (const one of run.pages)
    for (; one.readEvents < one.page.events.length; one.readEvents += 1) {
      const { event, data } = one.page.events[one.readEvents] as Page["events"][number];
      if (event === "playback") setCurrent(run, one, data);
      if (event === "snapshot") setCurrent(run, one, data.playback);
      if (event === "stop") stopCurrent(run, one, data.playbackId);
    }
}

function setCurrent({ ended, late, handedOut }: Run, page: PageState, current: PageState["current"]): void {
  page.current = current;
  if (!current) return;
  if (ended.has(current.id)) late.add(`${current.id} to ${page.number}`);
  if (!current.replay && !handedOut.includes(current.donationId)) handedOut.push(current.donationId);
}

function stopCurrent({ late }: Run, page: PageState, id: string): void {
  late.delete(`${id} to ${page.number}`);
  if (page.current?.id === id) page.current = null;
}

async function acknowledge(run: Run, index: number, step: "start" | "end"): Promise<void> {
  readEvents(run);
  const page = run.pages[index];
  if (!page?.current) return;
  const { id } = page.current;
  const answer = step === "start" ? await page.page.started(id) : await page.page.ended(id);
  if (answer === "unknown") run.failures.push(`${id} was handed out and is unknown`);
  if (answer === "conflict" || step === "end") page.current = null;
  if (answer === "conflict" || answer === "unknown" || step === "start") return;
  if (answer.changed && run.ended.has(id)) run.failures.push(`${id} was shown twice`);
  run.ended.add(id);
}

async function execute(run: Run, command: Command): Promise<void> {
  const { knex } = fixture;
  const { streamerId, donations, pages } = run;
  if (command.do === "donate") donations.push(await fixture.donate(streamerId));
  if (command.do === "skip") await skipPlaying(knex, streamerId);
  if (command.do === "skip one" || command.do === "put next") await controlOne(run, command.do, donations.at(-1 - command.donation));
  if (command.do === "clear") await clearWaiting(knex, streamerId);
  if (command.do === "pause") await setPaused(knex, streamerId, command.paused);
  if (command.do === "replay" && donations[0]) await replay(fixture.stepDeps, streamerId, donations[0]);
  if (command.do === "sweep") await settleAbandoned(fixture.stepDeps, () => {});
  if (command.do === "pass") await fixture.age(streamerId, command.ms);
  if (command.do === "kill") await killProcess(run, command.at);
  if (command.do === "connect") await connect(run, command);
  if (command.do === "lead") await chooseLeader(knex, streamerId, await connectionAt(run, command.page));
  if (command.do === "disconnect") disconnect(run, pages[command.page]);
  if (command.do === "start" || command.do === "end") await acknowledge(run, command.page, command.do);
  readEvents(run);
}

async function connectionAt({ streamerId }: Run, place: number): Promise<string> {
  const ids: string[] = await fixture
    .knex("overlay_pages")
    .where({ streamer_id: streamerId })
    .orderBy("connection_id")
    .pluck("connection_id");
  return ids[place % Math.max(1, ids.length)] ?? newId();
}

/** At the same time in both processes: what the second one finds is done already, or no longer possible. */
async function controlOne({ streamerId, processes, putNext: put }: Run, name: "skip one" | "put next", donationId = ""): Promise<void> {
  if (donationId === "") return;
  const control = ({ pool }: Process) =>
    name === "skip one" ? skipOne(pool, streamerId, donationId) : putNext({ ...fixture.stepDeps, knex: pool }, streamerId, donationId);
  const answers = await Promise.all(processes.map(control));
  const isPutNext = name === "put next" && answers.includes("done");
  // A page may be handed the alert between the two calls: it waits no longer then.
  for (const answer of answers) expect(isPutNext ? ["done", "conflict"] : [answers[0]]).toContain(answer);
  if (isPutNext) put.add(donationId);
}

/** Plays all alerts that are left, with one page of a new player. */
async function playRemaining(run: Run): Promise<void> {
  await setPaused(fixture.knex, run.streamerId, false);
  disconnect(run, ...run.pages);
  await fixture.age(run.streamerId, 20_000);
  await connect(run, { at: 0, player: "last", resumes: false, isInObs: false });
  const deadline = performance.now() + 20_000;
  while (await hasOpenAlerts(run.streamerId)) {
    if (performance.now() > deadline) throw new Error(`stuck: ${JSON.stringify(await fixture.states(run.streamerId))}`);
    readEvents(run);
    await acknowledge(run, 0, "start");
    await acknowledge(run, 0, "end");
    await sleep(5);
  }
}

async function hasOpenAlerts(streamerId: string): Promise<boolean> {
  const open = ["preparing", "queued", "leased", "playing"];
  const [alert] = await fixture.knex("alerts").where("streamer_id", streamerId).whereIn("status", open).limit(1);
  const [playback] = await fixture.knex("playbacks").where("streamer_id", streamerId).whereIn("state", open).limit(1);
  return alert !== undefined || playback !== undefined;
}

async function close({ processes }: Run): Promise<void> {
  for (const { hub } of processes) hub.leave();
  for (const { hub } of processes) await hub.close();
  for (const process of processes) await endProcess(process);
}

test("alerts of two processes under any sequence of commands play one at a time, in order, never after their end, and all come to an end", async () => {
  const property = fc.asyncProperty(commands, async (all) => {
    const run = newRun(await fixture.newStreamer());
    for (const command of all) await execute(run, command);
    await playRemaining(run);
    const late = () => {
      readEvents(run);
      return [...run.late];
    };
    await expect.poll(late).toEqual([]);
    expect(run.failures).toEqual([]);
    const inTurn = (ids: readonly string[]) => ids.filter((id) => !run.putNext.has(id) && run.handedOut.includes(id));
    expect(inTurn(run.handedOut), "order").toEqual(inTurn(run.donations));
    const mirrored = await fixture.knex.raw(
      `select a.status, p.state from alerts a
       join lateral (select state from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id
         order by number desc limit 1) p on true
       where a.streamer_id = ? and a.status <> p.state`,
      [run.streamerId],
    );
    expect(mirrored.rows).toEqual([]);
    await close(run);
  });
  // RUNS=200 looks harder.
  await fc.assert(property, { numRuns: Number(process.env.RUNS ?? (process.env.CI ? 25 : 10)), endOnFailure: true });
}, 180_000);
