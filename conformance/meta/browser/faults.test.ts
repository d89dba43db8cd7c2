import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { create, type Donation } from "../../suite/client/api.ts";
import { type SpeechEngine, startSpeechEngine } from "../../suite/client/overlay/speech-engine.ts";
import { type Relay, startRelay } from "../../suite/servers/cuts/subscriber.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { seeded } from "../../suite/values/run-settings.ts";
import { target } from "../../suite/values/target.ts";
import { withSound } from "./chromium.ts";
import { tone } from "./fake-overlay.ts";
import { findBreaches, keepJournalScript, type LastingEntry, type Outage, type PlaybackRow, readLastingJournal } from "./fault-rules.ts";
import { amountsOfLooks, approve, type FaultyServer, setApproval, setLooks, startFaultyServer } from "./faulty-server.ts";
import { obsViewport } from "./overlay-tab.ts";
import { startChromium } from "./start-chromium.ts";
import { createLiveStreamer, type LiveStreamer } from "./streamers.ts";

// `make faults`: alerts of many streamers at once, with variations, while pages, connections, server and database fail at random; every
// second streamer holds them until they are approved, and half of them have a page that follows. In the end every alert must have been played exactly once. DONATIONS=500 makes a long
// run; SEED chooses the faults.

const donations = Number(process.env.DONATIONS || 48);

const streamers = Math.min(8, Math.ceil(donations / 8));

const each = Math.ceil(donations / streamers);

let browser: Browser;
let engine: SpeechEngine;
let server: FaultyServer;
let tested: TestedStreamer[] = [];

type Disaster = Outage & { victim: "server" | "database" };

/** A streamer with the browsers and connections of the test. */
type TestedStreamer = LiveStreamer & {
  /** Whether alerts wait until they are approved. */
  holds: boolean;
  /** All alerts have come to their end, or it was waited long enough. */
  isOver: boolean;
  random: () => number;
  relay: Relay;
  context: BrowserContext;
  page: Page;
  /** A page in a browser of its own that stays open, and shows what the other one plays; null: none. */
  follower: Pick<TestedStreamer, "context" | "page"> | null;
  recorded: string[];
  /** Journals of browsers that were closed. */
  journals: LastingEntry[][];
  cuts: Outage[];
  story: string[];
  /** The current step, to find out where a run hangs. */
  doing: { posting: string; suffering: string; loading: string };
};

beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  [browser, engine] = await Promise.all([startChromium(withSound), startSpeechEngine(tone(0.5))]);
  server = await startFaultyServer(operator, { TTS_URL: engine.url });
  for (let made = 0; made < streamers; made += 4) {
    const next = Array.from({ length: Math.min(4, streamers - made) }, (_, index) => newTestedStreamer(made + index));
    tested = [...tested, ...(await Promise.all(next))];
  }
}, 300_000);

afterAll(async () => {
  await browser?.close();
  for (const { relay } of tested) relay.close();
  await server?.stop();
  engine?.close();
}, 60_000);

async function newTestedStreamer(index: number): Promise<TestedStreamer> {
  const [streamer, relay] = await Promise.all([createLiveStreamer(server.operator, server.url), startRelay(server.url)]);
  const holds = index % 2 === 1;
  await setLooks(streamer.as);
  if (holds) await setApproval(streamer.as);
  const context = await newBrowser();
  const page = await context.newPage();
  const other = index % 4 < 2 ? await newBrowser() : null;
  return {
    ...streamer,
    follower: other && { context: other, page: await other.newPage() },
    holds,
    isOver: false,
    random: seeded(target().seed + index),
    relay,
    context,
    page,
    recorded: [],
    journals: [],
    cuts: [],
    story: [],
    doing: { posting: "", suffering: "", loading: "" },
  };
}

/** Opens a browser context: its own storage makes it a browser of its own. */
async function newBrowser(): Promise<BrowserContext> {
  const context = await browser.newContext({ ...obsViewport, reducedMotion: "reduce" });
  await context.addInitScript(keepJournalScript);
  return context;
}

test(`${streamers * each} donations are each played exactly once while pages, connections, server and database fail`, {
  timeout: 1_800_000,
}, async (context) => {
  if (!server) return context.skip("not run: needs the operator's CLI, and API_URL is someone else's server");
  const random = seeded(target().seed - 1);
  const happened: Disaster[] = [];
  let over = false;
  const disasters = (async () => {
    for (let turn = 0; !over; turn += 1) {
      await sleep(8_000 + 8_000 * random());
      if (over) return;
      const [victim, kill] = turn % 2 === 0 ? (["server", server.killServer] as const) : (["database", server.killDatabase] as const);
      const from = Date.now();
      await kill();
      happened.push({ victim, from, to: Date.now() });
    }
  })();
  const approvals = tested.filter(({ holds }) => holds).map((one) => approve(one.as, () => one.isOver));
  try {
    // A server that does not come back fails the test; otherwise all others would wait for it for ever.
    const all = Promise.all(tested.map((one) => Promise.all([post(one), suffer(one)])));
    await Promise.race([all, disasters.then(() => all), late()]);
  } finally {
    over = true;
    await disasters;
  }
  console.log(happened.map(({ victim, from, to }) => `${from} ${victim} killed, away for ${(to - from) / 1000} s`).join("; "));
  const found: string[] = [];
  for (const one of tested) found.push(...(await verify(one, happened)));
  await Promise.all(approvals);
  expect(found).toEqual([]);
});

/** Rejects when a step takes too long. */
async function late(): Promise<never> {
  await sleep(120_000 + each * 20_000, undefined, { ref: false });
  const hanging = tested.filter(({ doing }) => doing.posting !== done || doing.suffering !== done);
  throw new Error(`not done yet: ${hanging.map(({ operator, doing }) => `${operator.handle} ${JSON.stringify(doing)}`).join("; ")}`);
}

const done = "done";

/** Posts a donation, and repeats it with the same idempotency key until it is recorded. */
async function post({ random, recorded, as, doing }: TestedStreamer): Promise<void> {
  for (let count = 1; count <= each; count += 1) {
    const body = donation({ donatorName: `n${count}`, amount: amountsOfLooks[count % amountsOfLooks.length], idempotencyKey: freshKey() });
    for (let answered = 0; answered !== 200 && answered !== 201; ) {
      doing.posting = `${count} since ${Date.now()}`;
      const reply = await create(body, as).catch(() => null);
      answered = reply?.status ?? 0;
      if (answered === 200 || answered === 201) recorded.push((reply!.body as { data: Donation }).data.id);
      else await sleep(300);
    }
    await sleep(4_000 * random());
  }
  doing.posting = done;
}

type Fault = (streamer: TestedStreamer) => Promise<void>;

const faults: Record<string, Fault> = {
  reload: async ({ page, ...streamer }) => load({ page, ...streamer }),
  "close and open": async (streamer) => {
    await streamer.page.close();
    await sleep(streamer.random() < 0.3 ? 13_000 * streamer.random() : 3_000 * streamer.random());
    streamer.page = await streamer.context.newPage();
    await load(streamer);
  },
  cut: async ({ relay, random, cuts }) => {
    const ms = 4_000 * random();
    relay.cut(ms);
    cuts.push({ from: Date.now(), to: Date.now() + ms });
  },
  "second page": async (streamer) => {
    const first = streamer.page;
    const second = await streamer.context.newPage();
    await load({ ...streamer, page: second });
    await sleep(4_000 * streamer.random());
    const [kept, left] = streamer.random() < 0.5 ? [first, second] : [second, first];
    streamer.page = kept;
    await left.close();
  },
  "second browser": async (streamer) => {
    const first = { context: streamer.context, page: streamer.page };
    const context = await newBrowser();
    const second = { context, page: await context.newPage() };
    await load({ ...streamer, ...second });
    await sleep(5_000 * streamer.random());
    const [kept, left] = streamer.random() < 0.5 ? [first, second] : [second, first];
    Object.assign(streamer, kept);
    await closeBrowser(streamer, left);
  },
};

/** Causes one fault after the other, about one for every two alerts. */
async function suffer(streamer: TestedStreamer): Promise<void> {
  await load(streamer);
  if (streamer.follower) await load({ ...streamer, ...streamer.follower });
  const names = Object.keys(faults);
  for (let count = 0; count < each * 0.6; count += 1) {
    await sleep(1_000 + 6_000 * streamer.random());
    const name = names[Math.floor(names.length * streamer.random())] ?? "";
    streamer.story.push(`${Date.now()} ${name}`);
    streamer.doing.suffering = `${name} since ${Date.now()}`;
    await faults[name]?.(streamer);
  }
  streamer.doing.suffering = done;
}

/** Reloads a page, again and again while the server cannot be reached. */
async function load({ page, relay, key, doing }: Pick<TestedStreamer, "page" | "relay" | "key" | "doing">): Promise<void> {
  for (;;) {
    // Start from a blank page each time: on a page that failed to load, opening the address again only jumps to the fragment.
    const answer = await page
      .goto("about:blank")
      .then(() => page.goto(`${relay.url}/overlay/#${key}`))
      .catch((error: Error) => error);
    if (answer instanceof Error) doing.loading = `${Date.now()} ${answer.message}`;
    else if (answer?.ok()) return;
    else doing.loading = `${Date.now()} ${answer?.status()}`;
    await sleep(300);
  }
}

async function closeBrowser(
  { relay, journals }: TestedStreamer,
  { context, page }: Pick<TestedStreamer, "context" | "page">,
): Promise<void> {
  await page.close();
  for (let kept: LastingEntry[] | null = null; kept === null; await sleep(300)) {
    kept = await readLastingJournal(context, relay.url).catch(() => null);
    if (kept) journals.push(kept);
  }
  await context.close();
}

async function verify(streamer: TestedStreamer, disasters: Outage[]): Promise<string[]> {
  const { operator, holds, recorded, journals, story, cuts } = streamer;
  let playbacks: PlaybackRow[] = [];
  const over = () => playbacks.length >= each && playbacks.every(({ endedAt }) => endedAt !== null);
  for (const deadline = Date.now() + 60_000 + each * 5_000; !over() && Date.now() < deadline; await sleep(200))
    playbacks = await server.playbacks(operator.handle).catch(() => []);
  streamer.isOver = true;
  await closeBrowser(streamer, streamer);
  if (streamer.follower) await closeBrowser(streamer, streamer.follower);
  const states = playbacks.map(({ state }) => state);
  console.log(
    `${operator.handle}${holds ? ", approved" : ""}${streamer.follower ? ", followed" : ""}: ${states.filter((state) => state === "shown").length} of ${states.length} shown; ${story.join(", ")}`,
  );
  const found = findBreaches({ donations: recorded, playbacks, browsers: journals, outages: [...disasters, ...cuts] });
  if (found.length > 0 || !over()) console.log(JSON.stringify({ handle: operator.handle, found, cuts, playbacks, journals }));
  if (over()) return found;
  return [`${operator.handle}: the queue did not come to its end`, ...found];
}
