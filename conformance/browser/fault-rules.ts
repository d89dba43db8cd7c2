import type { LastingEntry } from "./lasting-journal.ts";

// What must hold for the alerts of one streamer, whatever happened to pages, connections, server and database.

/** A row of the playbacks table; times in milliseconds since 1970. */
export type PlaybackRow = { id: string; donationId: string; sequence: number; state: string; alertStatus: string; endedAt: number | null };

/** When the server could not be reached; milliseconds since 1970. */
export type Outage = { from: number; to: number };

/** `browsers`: the journals of each. `donations`: ids of all that were recorded, in order. */
export type Evidence = { donations: string[]; playbacks: PlaybackRow[]; browsers: LastingEntry[][]; outages: Outage[] };

/** What a page showed, from its beginning on. `fate`: how it ended; `gone` with its page. */
export type Run = { browser: number; life: string; playbackId: string; from: number; to: number; fate: "ended" | "stopped" | "gone" };

/** Each breach in words; none is good. */
export function breaches(evidence: Evidence): string[] {
  const { donations, playbacks, browsers } = evidence;
  const runs = browsers.flatMap(runsOf).sort((a, b) => a.from - b.from);
  return [
    ...onePlaybackEach(donations, playbacks),
    ...playbacks.flatMap((playback) =>
      fateOf(
        playback,
        runs.filter(({ playbackId }) => playbackId === playback.id),
        evidence,
      ),
    ),
    ...overlaps(runs),
    ...disorder(runs, playbacks),
    ...runs.filter(({ playbackId }) => !playbacks.some(({ id }) => id === playbackId)).map((run) => `nobody knows ${tell(run)}`),
  ];
}

function onePlaybackEach(donations: string[], playbacks: PlaybackRow[]): string[] {
  const counted = donations.map((id) => playbacks.filter(({ donationId }) => donationId === id).length);
  return counted.flatMap((count, index) => (count === 1 ? [] : [`donation ${index} has ${count} playbacks`]));
}

/**
 * Shown to its end, or unconfirmed because its page was gone in mid-play, or could not say the end in time, or had to leave before it
 * could; and never again after an end that was acknowledged.
 */
function fateOf({ id, sequence, state, alertStatus, endedAt }: PlaybackRow, runs: Run[], { outages, browsers }: Evidence): string[] {
  const what = `playback ${sequence} (${id}) is ${state}, its pages: ${runs.map(tell).join("; ") || "none"}`;
  if (endedAt === null) return [`not over: ${what}`];
  const whole = runs.filter(({ fate }) => fate === "ended");
  const faults = alertStatus === state ? [] : [`the alert is ${alertStatus}: ${what}`];
  if (state === "shown") {
    if (!whole.some(({ to }) => to <= endedAt + clockStep)) faults.push(`no page has shown it to its end: ${what}`);
    if (runs.some(({ from }) => from > endedAt + clockStep)) faults.push(`shown again after its acknowledged end at ${endedAt}: ${what}`);
  } else if (state === "unconfirmed") {
    const last = runs.findLast(({ from }) => from <= endedAt);
    const gone = last?.fate === "gone" && last.to <= endedAt;
    const lost = last !== undefined && (unheard(last, endedAt, outages) || leftUnheard(last, endedAt, { outages, browsers }));
    if (!gone && !lost) faults.push(`its page had not gone in mid-play: ${what}, over at ${endedAt}`);
  } else faults.push(`neither shown nor unconfirmed: ${what}`);
  return faults;
}

/** A page that was lost in mid-play has ten seconds to come back; of those it needs a few itself. */
const givenUp = 10_000;
const atLeastAway = 5_000;

/** Whether it could not say that it plays, or had ended, for most of the time that it is given. */
function unheard({ from }: Run, endedAt: number, outages: Outage[]): boolean {
  const meanwhile = outages
    .map((outage) => ({ from: Math.max(from, outage.from), to: Math.min(endedAt, outage.to) }))
    .filter((outage) => outage.to > outage.from);
  const away = meanwhile.reduce((sum, outage) => sum + outage.to - outage.from, 0);
  return away >= atLeastAway && endedAt - Math.min(...meanwhile.map((outage) => outage.from)) >= givenUp;
}

/**
 * Whether its browser was left while the server could not hear that it had ended, and was away for most of the time in which a page may
 * come back: a browser that returns keeps the end, and says it.
 */
function leftUnheard({ browser, to }: Run, endedAt: number, { outages, browsers }: Pick<Evidence, "outages" | "browsers">): boolean {
  const entries = browsers[browser] ?? [];
  const left = entries.find(({ at, event }) => event === "gone" && at >= to && isEmpty(entries, at))?.at;
  if (left === undefined) return false;
  const back = entries.find(({ at, event }) => event === "born" && at > left)?.at ?? Number.POSITIVE_INFINITY;
  const unreachable = outages.some((outage) => outage.from <= left && outage.to >= to);
  return unreachable && Math.min(back, endedAt) - left >= atLeastAway;
}

/** Whether every page that this browser has opened so far is gone. */
function isEmpty(entries: LastingEntry[], when: number): boolean {
  const past = entries.filter(({ at }) => at <= when);
  const gone = new Set(past.filter(({ event }) => event === "gone").map(({ life }) => life));
  return past.every(({ life }) => gone.has(life));
}

/** The database rounds to whole milliseconds, as pages do. */
const clockStep = 2;

function overlaps(runs: Run[]): string[] {
  return runs.flatMap((run, index) =>
    runs
      .slice(index + 1)
      .filter((later) => later.browser === run.browser && later.from < run.to)
      .map((later) => `${tell(later)} plays over ${tell(run)}`),
  );
}

function disorder(runs: Run[], playbacks: PlaybackRow[]): string[] {
  const sequences = new Map(playbacks.map(({ id, sequence }) => [id, sequence]));
  const order = (run: Run) => sequences.get(run.playbackId) ?? 0;
  return runs.flatMap((run, index) => {
    const before = runs[index - 1];
    return before && order(before) > order(run)
      ? [`${tell(run)}, number ${order(run)}, came after number ${order(before)}, ${tell(before)}`]
      : [];
  });
}

function runsOf(entries: LastingEntry[], browser: number): Run[] {
  return entries.flatMap(({ event, at, life, playbackId }, index) => {
    if (event !== "shown") return [];
    const rest = entries.slice(index + 1).filter((entry) => entry.life === life);
    const end = rest.find(
      (entry) => entry.event === "gone" || (entry.playbackId === playbackId && ["ended", "stopped"].includes(entry.event)),
    );
    const last = { at: entries.findLast((entry) => entry.life === life)?.at ?? at, event: "gone" }; // its page was killed
    const { at: to, event: fate } = end ?? last;
    return [{ browser, life, playbackId, from: at, to, fate: fate as Run["fate"] }];
  });
}

const tell = ({ browser, life, playbackId, from, to, fate }: Run): string =>
  `${playbackId.slice(-6)} in browser ${browser}, page ${life.slice(0, 4)}: ${from} to ${to}, ${fate}`;
