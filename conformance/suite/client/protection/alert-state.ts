// Reads what rules change of a streamer's alerts, and puts it back.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { operation } from "../../contract/contract.ts";
import type { Reply, Request } from "../../contract/http-request.ts";
import { inputsOf } from "../../contract/inputs.ts";
import type { AlertState, ProtectedStreamer } from "../../values/target.ts";
import { withRateLimitRetries } from "../rate-limit-retries.ts";
import { sendOnce } from "../send-once.ts";
import { type Members, note, notedIn, pathOfDonation } from "./own.ts";

type Streamer = Pick<ProtectedStreamer, "key" | "journal">;

/** Alerts that play, wait or are held. `own`: paths of the donations of the suite's that are listed. `others`: how many are somebody else's. */
type QueueView = { connected: boolean; own: string[]; others: number };

const timeoutMs = 15_000;
const stuckMs = 8_000;

/** Throws where the server does not answer settings and queue. */
export async function readAlertState(key: string): Promise<AlertState> {
  const data = await read("/api/v1/alerts/settings", key);
  const changeable = Object.keys(inputsOf(operation("updateAlertSettings")).body?.shape.properties ?? {});
  const { paused, hidden } = await read("/api/v1/alerts", key);
  if (typeof paused !== "boolean") throw new Error("GET /api/v1/alerts is answered 200 without a queue");
  const settings = Object.fromEntries(changeable.filter((name) => name in data).map((name) => [name, data[name]]));
  return { settings, paused, hidden: hidden === true };
}

/** Tells the suite's own alerts from others. Throws where the server does not answer the queue. */
export async function viewQueue({ key, journal }: Streamer): Promise<QueueView> {
  const { connected, playing, waiting, waitingCount, held = [], heldCount = 0 } = await read("/api/v1/alerts", key);
  if (!Array.isArray(waiting) || !Array.isArray(held)) throw new Error("GET /api/v1/alerts is answered 200 without a queue");
  const listed: Members[] = [...(playing ? [playing as Members] : []), ...waiting, ...held];
  const readDonation = (path: string): Promise<Members> => read(path, key).catch(() => ({}));
  await adoptUnanswered(journal, listed, readDonation);
  const { made, gone } = notedIn(journal);
  const visible = listed.map(({ donationId }) => pathOfDonation(donationId));
  const own = visible.filter((path) => made.has(path));
  const unlisted = Math.max(0, Number(waitingCount) - waiting.length) + Math.max(0, Number(heldCount) - held.length);
  const candidates = unlisted === 0 ? [] : [...made].filter((path) => !gone.has(path) && !visible.includes(path)).slice(-unlisted);
  const donations = await Promise.all(candidates.map(readDonation));
  const ownUnlisted = donations.filter(({ alert }) => (alert as Members | undefined)?.status === "queued").length;
  return { connected: connected === true, own, others: visible.length - own.length + Math.max(0, unlisted - ownUnlisted) };
}

/**
 * Notes as the suite's own those alerts of the queue that unanswered requests have raised: a run that is killed does not see their answers.
 * `readDonation` resolves to the members of a donation, since the queue may show an alert masked.
 */
export async function adoptUnanswered(
  journal: string,
  alerts: readonly Members[],
  readDonation: (path: string) => Promise<Members>,
): Promise<void> {
  for (const { donationId, ...alert } of alerts) {
    const { made, unanswered } = notedIn(journal);
    const path = pathOfDonation(donationId);
    const expected = [...unanswered].filter(([, { shows }]) => shows);
    if (expected.length === 0 || made.has(path)) continue;
    const shown: Members = { ...alert, ...(await readDonation(path)), donationId };
    const found = expected.find(([, { shows = {} }]) => Object.keys(shows).every((name) => isDeepStrictEqual(shown[name], shows[name])));
    if (found) note(journal, { settled: found[0], made: [path] });
  }
}

/** Ends the suite's own alerts, and restores settings, pause and hiding. Resolves to what could not be put back, in words. */
export async function restoreAlertState({ key, journal }: Streamer, found: AlertState): Promise<string[]> {
  const problems = await endOwnAlerts({ key, journal });
  const present = await readAlertState(key);
  const foreign = foreignChanges(journal, found, present);
  const differs = (state: AlertState) => (name: string) =>
    !(name in foreign) && !isDeepStrictEqual(state.settings[name], found.settings[name]);
  const changed = Object.keys(found.settings).filter(differs(present));
  const body = JSON.stringify(Object.fromEntries(changed.map((name) => [name, found.settings[name]])));
  const send = (method: string, path: string, more: Partial<Request> = {}) => ask({ method, path: `/api/v1/alerts/${path}`, key, ...more });
  if (changed.length > 0) await send("PATCH", "settings", { body, headers: { "Content-Type": "application/json" } });
  if (present.paused !== found.paused) await send("POST", found.paused ? "pause" : "resume");
  if (present.hidden !== found.hidden) await send("POST", found.hidden ? "hide" : "unhide");
  const now = await readAlertState(key);
  const left = [...changed.filter(differs(now)), ...(["paused", "hidden"] as const).filter((name) => now[name] !== found[name])];
  if (left.length > 0) problems.push(`${left.join(", ")}: not as before the run`);
  problems.push(...Object.values(foreign));
  if (problems.length === 0) note(journal, { restored: true });
  return problems;
}

/** Denies each by the id of its donation, so that no other is ended in its stead. One that a just closed page had may return to the queue. */
async function endOwnAlerts(streamer: Streamer): Promise<string[]> {
  const denied = new Set<string>();
  for (let deadline = performance.now() + stuckMs; ; await sleep(50)) {
    const { own } = await viewQueue(streamer);
    if (own.length === 0) return [];
    if (own.some((path) => !denied.has(path))) deadline = performance.now() + stuckMs;
    if (performance.now() > deadline) return [`${own.length} alerts of the suite still wait`];
    const deny = (path: string) =>
      ask({ method: "POST", path: path.replace("/donations/", "/alerts/").concat("/deny"), key: streamer.key });
    await Promise.all(own.map(deny));
    for (const path of own) denied.add(path);
  }
}

/** What somebody else has changed: the settings that are neither as they were found nor as the suite has written them, in words. */
export function foreignChanges(journal: string, found: AlertState, { settings }: AlertState): Record<string, string> {
  const ours = [found.settings, ...notedIn(journal).written];
  const isOurs = ([name, value]: [string, unknown]) => ours.some((one) => name in one && isDeepStrictEqual(one[name], value));
  const changes = Object.keys(found.settings).filter((name) => !isOurs([name, settings[name]]));
  const text = JSON.stringify;
  const explain = (name: string) =>
    `${name} is ${text(settings[name])} now, which the suite has not written; it was ${text(found.settings[name])} before the run`;
  return Object.fromEntries(changes.map((name) => [name, explain(name)]));
}

/** Sends the request, whatever the guard says, and waits for rate limits. Throws after 15 s without an answer. */
export const ask = (request: Request): Promise<Reply> => withRateLimitRetries(() => Promise.race([sendOnce(request), rejectLate(request)]));

async function rejectLate({ method = "GET", path }: Request): Promise<never> {
  await sleep(timeoutMs, undefined, { ref: false });
  throw new Error(`${method} ${path} is not answered within ${timeoutMs / 1000} s`);
}

/** The data of the answer to GET. Throws where there are none. */
async function read(path: string, key: string): Promise<Members> {
  const { status, body } = await ask({ path, key });
  const { data } = (body ?? {}) as { data?: unknown };
  if (status === 200 && typeof data === "object" && data !== null) return data as Members;
  throw new Error(`GET ${path} is answered ${status}`);
}
