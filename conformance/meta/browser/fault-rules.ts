// Rules for the alerts of one streamer after `make faults`: each must have been played once, whatever failed meanwhile.

import type { BrowserContext, Page } from "playwright-core";

/** A row of the playbacks table; times in milliseconds since 1970. */
export type PlaybackRow = { id: string; donationId: string; sequence: number; state: string; alertStatus: string; endedAt: number | null };

/** A time during which the server could not be reached; milliseconds since 1970. */
export type Outage = { from: number; to: number };

/** `browsers`: the journal of each browser. `donations`: ids of the recorded donations, in order. */
export type Evidence = { donations: string[]; playbacks: PlaybackRow[]; browsers: LastingEntry[][]; outages: Outage[] };

/**
 * One showing of an alert by a page. `follows`: another page led when it began. `fate`: how it ended. `finished`: it was shown to its end by a
 * page that followed. `gone`: the page was closed. `lost`: it was closed before its browser had stored the
 * last entries of its journal, of which `to` is the last one.
 */
type Showing = {
  browser: number;
  life: string;
  playbackId: string;
  from: number;
  to: number;
  follows: boolean;
  fate: "ended" | "finished" | "stopped" | "gone" | "lost";
};

/** Returns every breach of the rules in words. */
export function findBreaches(evidence: Evidence): string[] {
  const { donations, playbacks, browsers } = evidence;
  const runs = browsers.flatMap(showingsOf).sort((a, b) => a.from - b.from);
  return [
    ...countBreaches(donations, playbacks),
    ...playbacks.flatMap((playback) =>
      playbackBreaches(
        playback,
        runs.filter(({ playbackId }) => playbackId === playback.id),
        evidence,
      ),
    ),
    ...overlapBreaches(runs),
    ...orderBreaches(runs, playbacks),
    ...runs
      .filter(({ playbackId }) => !playbacks.some(({ id }) => id === playbackId))
      .map((run) => `unknown playback: ${describeShowing(run)}`),
  ];
}

function countBreaches(donations: string[], playbacks: PlaybackRow[]): string[] {
  const counted = donations.map((id) => playbacks.filter(({ donationId }) => donationId === id).length);
  return counted.flatMap((count, index) => (count === 1 ? [] : [`donation ${index} has ${count} playbacks`]));
}

/**
 * A playback must be shown to its end and never again afterwards. It may be unconfirmed if it was started, its end did not reach the server,
 * and its browser had no chance to come back in the ten seconds before the server gave it up.
 */
function playbackBreaches(
  { id, sequence, state, alertStatus, endedAt }: PlaybackRow,
  runs: Showing[],
  { outages, browsers }: Evidence,
): string[] {
  const what = `playback ${sequence} (${id}) is ${state}, its pages: ${runs.map(describeShowing).join("; ") || "none"}`;
  if (endedAt === null) return [`not ended: ${what}`];
  const whole = runs.filter(({ fate }) => fate === "ended" || fate === "finished");
  const faults = alertStatus === state ? [] : [`the alert is ${alertStatus}: ${what}`];
  if (state === "shown") {
    const isWhole = whole.some(({ to }) => to <= endedAt + clockToleranceMs) || runs.some((run) => mayHaveEnded(run, endedAt));
    if (!isWhole) faults.push(`no page showed it to its end: ${what}`);
    if (runs.some((run) => run.from > endedAt + clockToleranceMs && !endWasOnItsWay(run, endedAt)))
      faults.push(`shown again after its acknowledged end at ${endedAt}: ${what}`);
  } else if (state === "unconfirmed") {
    const last = runs.findLast(({ from }) => from <= endedAt);
    const leading = runs.findLast(({ from, follows }) => from <= endedAt && !follows); // one that followed knows nothing once it is loaded anew
    if (last === undefined) faults.push(`unconfirmed although no page had started it: ${what}, ended at ${endedAt}`);
    else if (couldAcknowledge(last, browsers[last.browser] ?? [], outages))
      faults.push(`unconfirmed although the server could be reached when it had ended: ${what}, ended at ${endedAt}`);
    else if (leading && hadChance(browsers[leading.browser] ?? [], endedAt, outages))
      faults.push(`unconfirmed although its browser could have come back in time: ${what}, ended at ${endedAt}`);
  } else faults.push(`neither shown nor unconfirmed: ${what}`);
  return faults;
}

/** The shortest time for which an alert is on screen. */
const shortestMs = 2_000;

/** Whether a page whose journal lacks its end could have shown the alert to its end by then. */
function mayHaveEnded({ fate, from }: Showing, endedAt: number): boolean {
  return fate === "lost" && endedAt - from >= shortestMs;
}

/** A page that is lost after the start has ten seconds to come back. */
const returnLimitMs = 10_000;

/** A page tries to connect every three seconds; on a busy machine it needs a moment more. */
const chanceMs = 5_000;

/** An end is acknowledged at once; on a busy machine the server needs a moment for it. */
const acknowledgementMs = 2_000;

type Time = { from: number; to: number };

/** Whether a page that had shown the alert to its end stayed open, and could reach the server, for long enough to say so. */
function couldAcknowledge({ fate, life, to }: Showing, entries: LastingEntry[], outages: Outage[]): boolean {
  const left = entries.findLast((entry) => entry.life === life)?.at ?? to;
  return (
    fate === "ended" &&
    outages.reduce(without, [{ from: to, to: left }]).some((time) => time.from === to && time.to - to >= acknowledgementMs)
  );
}

/** Whether, in the time to come back, the browser had an open page while the server could be reached, for long enough to connect. */
function hadChance(entries: LastingEntry[], endedAt: number, outages: Outage[]): boolean {
  const open = merge(livesOf(entries)).map(({ from, to }) => ({
    from: Math.max(from, endedAt - returnLimitMs),
    to: Math.min(to, endedAt),
  }));
  return outages.reduce(without, open).some(({ from, to }) => to - from >= chanceMs);
}

/** When each page of the browser was open. */
function livesOf(entries: LastingEntry[]): Time[] {
  return [...new Set(entries.map(({ life }) => life))].map((life) => {
    const own = entries.filter((entry) => entry.life === life).map(({ at }) => at);
    return { from: Math.min(...own), to: Math.max(...own) };
  });
}

/** The same times, without two that overlap. */
function merge(times: Time[]): Time[] {
  const merged: Time[] = [];
  for (const { from, to } of times.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** What is left of the times outside of an outage. */
function without(times: Time[], outage: Outage): Time[] {
  return times
    .flatMap(({ from, to }) => [
      { from, to: Math.min(to, outage.from) },
      { from: Math.max(from, outage.to), to },
    ])
    .filter(({ from, to }) => from < to); // otherwise their number would double with each outage
}

/** A page that joins may be told of an alert whose end is on its way to it: it follows it until that comes. */
function endWasOnItsWay({ fate, to }: Showing, endedAt: number): boolean {
  return (fate === "stopped" || fate === "gone") && to <= endedAt + onItsWayMs;
}

/** Of a message to a page, on a machine with more to do than it has processors. */
const onItsWayMs = 1_000;

/** Database and pages round times to milliseconds. */
const clockToleranceMs = 2;

/**
 * A page that was taken for dead is told to stop at the moment when another page is told to play: one of the two messages arrives a few
 * milliseconds before the other.
 */
const handOverMs = 50;

function overlapBreaches(runs: Showing[]): string[] {
  return runs.flatMap((run, index) =>
    runs
      .slice(index + 1)
      .filter((later) => !(later.playbackId === run.playbackId && (run.follows || later.follows)))
      .filter((later) => later.browser === run.browser && later.from < run.to - handOverOf(run, later))
      .map((later) => `${describeShowing(later)} plays over ${describeShowing(run)}`),
  );
}

/** How long two pages may show something at once: until one has stopped, or has noted that it is left, in whose place the other plays. */
function handOverOf({ fate, playbackId }: Showing, later: Showing): number {
  if (fate === "gone" && playbackId === later.playbackId) return 4 * handOverMs;
  return fate === "stopped" ? handOverMs : 0;
}

function orderBreaches(all: Showing[], playbacks: PlaybackRow[]): string[] {
  const rows = new Map(playbacks.map((row) => [row.id, row]));
  const order = (run: Showing) => rows.get(run.playbackId)?.sequence ?? 0;
  const runs = all.filter((run) => {
    const endedAt = rows.get(run.playbackId)?.endedAt ?? null;
    return endedAt === null || run.from <= endedAt || !endWasOnItsWay(run, endedAt);
  });
  return runs.flatMap((run, index) => {
    const before = runs[index - 1];
    return before && order(before) > order(run)
      ? [`${describeShowing(run)}, number ${order(run)}, came after number ${order(before)}, ${describeShowing(before)}`]
      : [];
  });
}

function showingsOf(entries: LastingEntry[], browser: number): Showing[] {
  return entries.flatMap(({ event, at, life, playbackId }, index) => {
    if (event !== "shown") return [];
    const rest = entries.slice(index + 1).filter((entry) => entry.life === life);
    const end = rest.find(
      (entry) => entry.event === "gone" || (entry.playbackId === playbackId && ["ended", "finished", "stopped"].includes(entry.event)),
    );
    const last = { at: entries.findLast((entry) => entry.life === life)?.at ?? at, event: "lost" };
    const { at: to, event: how } = end ?? last;
    // A page that is left stops its alert in the same moment.
    const isLeft = rest.some((entry) => entry.event === "gone" && entry.at <= to + clockToleranceMs);
    const fate = how === "stopped" && isLeft ? "gone" : how;
    const follows = rest.some((entry) => entry.event === "follows" && entry.playbackId === playbackId);
    return [{ browser, life, playbackId, from: at, to, follows, fate: fate as Showing["fate"] }];
  });
}

const describeShowing = ({ browser, life, playbackId, from, to, fate }: Showing): string =>
  `${playbackId.slice(-6)} in browser ${browser}, page ${life.slice(0, 4)}: ${from} to ${to}, ${fate}`;

/** A journal entry. `life` identifies one load of a page; the event `gone` means that the page was left. */
export type LastingEntry = { life: string; at: number; event: string; playbackId: string; donationId: string };

/** Script for `addInitScript`, which runs before the page's own scripts. */
export const keepJournalScript = `(() => {
  const life = crypto.randomUUID();
  let count = 0;
  const keep = (entry) => localStorage.setItem("kept " + life + " " + (count += 1), JSON.stringify({ ...entry, life }));
  let journal = [];
  Object.defineProperty(window, "journal", {
    get: () => journal,
    set: (made) => {
      journal = made;
      journal.push = (entry) => (keep(entry), Array.prototype.push.call(journal, entry));
    },
  });
  keep({ at: Date.now(), event: "born" });
  addEventListener("pagehide", () => keep({ at: Date.now(), event: "gone" }));
})()`;

/** Returns the journal entries of all pages of this browser, in order. */
export async function readLastingJournal(context: BrowserContext, url: string): Promise<LastingEntry[]> {
  const page: Page = await context.newPage();
  await page.goto(`${url}/overlay/assets/`); // an error page of the same origin, which writes no journal
  const texts: string[] = await page.evaluate(
    "Object.keys(localStorage).filter((name) => name.startsWith('kept ')).map((name) => localStorage[name])",
  );
  await page.close();
  return texts.map((text): LastingEntry => JSON.parse(text)).sort((a, b) => a.at - b.at);
}
