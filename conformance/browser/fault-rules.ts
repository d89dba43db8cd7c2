// Rules for the alerts of one streamer after `make faults`: each must have been played once, whatever failed meanwhile.

import type { LastingEntry } from "./lasting-journal.ts";

/** A row of the playbacks table; times in milliseconds since 1970. */
export type PlaybackRow = { id: string; donationId: string; sequence: number; state: string; alertStatus: string; endedAt: number | null };

/** A time during which the server could not be reached; milliseconds since 1970. */
export type Outage = { from: number; to: number };

/** `browsers`: the journal of each browser. `donations`: ids of the recorded donations, in order. */
export type Evidence = { donations: string[]; playbacks: PlaybackRow[]; browsers: LastingEntry[][]; outages: Outage[] };

/** One showing of an alert by a page. `fate`: how it ended; `gone` means that the page was closed. */
export type Showing = { browser: number; life: string; playbackId: string; from: number; to: number; fate: "ended" | "stopped" | "gone" };

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
 * A playback must be shown to its end and never again afterwards. It may be unconfirmed if its page was closed while playing, could not
 * acknowledge the end in time, or was closed before it could.
 */
function playbackBreaches(
  { id, sequence, state, alertStatus, endedAt }: PlaybackRow,
  runs: Showing[],
  { outages, browsers }: Evidence,
): string[] {
  const what = `playback ${sequence} (${id}) is ${state}, its pages: ${runs.map(describeShowing).join("; ") || "none"}`;
  if (endedAt === null) return [`not ended: ${what}`];
  const whole = runs.filter(({ fate }) => fate === "ended");
  const faults = alertStatus === state ? [] : [`the alert is ${alertStatus}: ${what}`];
  if (state === "shown") {
    if (!whole.some(({ to }) => to <= endedAt + clockToleranceMs)) faults.push(`no page showed it to its end: ${what}`);
    if (runs.some(({ from }) => from > endedAt + clockToleranceMs))
      faults.push(`shown again after its acknowledged end at ${endedAt}: ${what}`);
  } else if (state === "unconfirmed") {
    const last = runs.findLast(({ from }) => from <= endedAt);
    const gone = last?.fate === "gone" && last.to <= endedAt;
    const lost =
      last !== undefined && (wasUnreachable(last, endedAt, outages) || leftWhileUnreachable(last, endedAt, { outages, browsers }));
    if (!gone && !lost) faults.push(`unconfirmed although its page was not closed while playing: ${what}, ended at ${endedAt}`);
  } else faults.push(`neither shown nor unconfirmed: ${what}`);
  return faults;
}

/** A page that disappears while playing has ten seconds to reconnect. An absence of half of that is accepted as the cause. */
const reconnectTimeoutMs = 10_000;
const minAbsenceMs = 5_000;

/** Whether the page could not reach the server for most of the time that it has to reconnect. */
function wasUnreachable({ from }: Showing, endedAt: number, outages: Outage[]): boolean {
  const meanwhile = outages
    .map((outage) => ({ from: Math.max(from, outage.from), to: Math.min(endedAt, outage.to) }))
    .filter((outage) => outage.to > outage.from);
  const away = meanwhile.reduce((sum, outage) => sum + outage.to - outage.from, 0);
  return away >= minAbsenceMs && endedAt - Math.min(...meanwhile.map((outage) => outage.from)) >= reconnectTimeoutMs;
}

/**
 * Whether the browser closed its pages while the server could not be reached, and opened none for most of the time that it has to
 * reconnect. A browser that opens a page in time acknowledges the end that it stored.
 */
function leftWhileUnreachable(
  { browser, to }: Showing,
  endedAt: number,
  { outages, browsers }: Pick<Evidence, "outages" | "browsers">,
): boolean {
  const entries = browsers[browser] ?? [];
  const left = entries.find(({ at, event }) => event === "gone" && at >= to && hasNoPage(entries, at))?.at;
  if (left === undefined) return false;
  const back = entries.find(({ at, event }) => event === "born" && at > left)?.at ?? Number.POSITIVE_INFINITY;
  const unreachable = outages.some((outage) => outage.from <= left && outage.to >= to);
  return unreachable && Math.min(back, endedAt) - left >= minAbsenceMs;
}

/** Whether the browser has no open page at this time. */
function hasNoPage(entries: LastingEntry[], when: number): boolean {
  const past = entries.filter(({ at }) => at <= when);
  const gone = new Set(past.filter(({ event }) => event === "gone").map(({ life }) => life));
  return past.every(({ life }) => gone.has(life));
}

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
      .filter((later) => later.browser === run.browser && later.from < run.to - (run.fate === "stopped" ? handOverMs : 0))
      .map((later) => `${describeShowing(later)} plays over ${describeShowing(run)}`),
  );
}

function orderBreaches(runs: Showing[], playbacks: PlaybackRow[]): string[] {
  const sequences = new Map(playbacks.map(({ id, sequence }) => [id, sequence]));
  const order = (run: Showing) => sequences.get(run.playbackId) ?? 0;
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
      (entry) => entry.event === "gone" || (entry.playbackId === playbackId && ["ended", "stopped"].includes(entry.event)),
    );
    const last = { at: entries.findLast((entry) => entry.life === life)?.at ?? at, event: "gone" }; // the page crashed
    const { at: to, event: how } = end ?? last;
    // A page that is left stops its alert in the same moment.
    const isLeft = rest.some((entry) => entry.event === "gone" && entry.at <= to + clockToleranceMs);
    const fate = how === "stopped" && isLeft ? "gone" : how;
    return [{ browser, life, playbackId, from: at, to, fate: fate as Showing["fate"] }];
  });
}

const describeShowing = ({ browser, life, playbackId, from, to, fate }: Showing): string =>
  `${playbackId.slice(-6)} in browser ${browser}, page ${life.slice(0, 4)}: ${from} to ${to}, ${fate}`;
