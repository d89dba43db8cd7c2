// Protects the alerts of a server of someone else: decides before a request is sent whether it may be sent, and puts back after each rule
// what it changed.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { operation } from "../../contract/contract.ts";
import { type Effect, effectOf, isHarmless, type Request } from "../../contract/http-request.ts";
import { inputsOf } from "../../contract/inputs.ts";
import { endAsNotRun } from "../../values/running.ts";
import { type AlertState, type ProtectedStreamer, target } from "../../values/target.ts";
import { expectReadOnly } from "../send-once.ts";
import { ask, read } from "./ask.ts";
import { announce, type Members, note, noteAnswer, notedIn, pathOfDonation } from "./own.ts";
import { readTimer, refusalOfTimer, restoreTimer } from "./timer.ts";

// Reads what rules change of a streamer's alerts, and puts it back.

type Streamer = Pick<ProtectedStreamer, "key" | "journal">;

/** Alerts that play, wait or are held. `own`: paths of the donations of the suite's that are listed. `others`: how many are somebody else's. */
type QueueView = { connected: boolean; own: string[]; others: number };

const stuckMs = 8_000;

/** Throws where the server does not answer settings and queue. */
export async function readAlertState(key: string): Promise<AlertState> {
  const data = await read("/api/v1/alerts/settings", key);
  const changeable = Object.keys(inputsOf(operation("updateAlertSettings")).body?.shape.properties ?? {});
  const { paused, hidden } = await read("/api/v1/alerts", key);
  if (typeof paused !== "boolean") throw new Error("GET /api/v1/alerts is answered 200 without a queue");
  const settings = Object.fromEntries(changeable.filter((name) => name in data).map((name) => [name, data[name]]));
  return { settings, paused, hidden: hidden === true, timer: await readTimer(key) };
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
  problems.push(...Object.values(foreign), ...(await restoreTimer({ key, journal }, found.timer)));
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
function foreignChanges(journal: string, found: AlertState, { settings }: AlertState): Record<string, string> {
  const ours = [found.settings, ...notedIn(journal).written];
  const isOurs = ([name, value]: [string, unknown]) => ours.some((one) => name in one && isDeepStrictEqual(one[name], value));
  const changes = Object.keys(found.settings).filter((name) => !isOurs([name, settings[name]]));
  const text = JSON.stringify;
  const explain = (name: string) =>
    `${name} is ${text(settings[name])} now, which the suite has not written; it was ${text(found.settings[name])} before the run`;
  return Object.fromEntries(changes.map((name) => [name, explain(name)]));
}

// Before and after each request and each rule.

/** Whose alerts the running rule changes, each with what it has changed. */
const touched = new Map<ProtectedStreamer, Set<Effect>>();
/** What requests under way may change. */
const unanswered = new Map<Promise<unknown>, Effect>();
let isInterrupted = false;

/** From now on nothing is created or changed: a rule that was interrupted goes on behind the runner's back. */
export function refuseAfterInterruption(signal: AbortSignal): void {
  signal.addEventListener("abort", () => {
    isInterrupted ||= signal.reason?.name === "TestRunAbortError";
  });
}

/** Waits until the attempt may be made, and makes it again where the server asks for that. */
export type Pace<T> = (attempt: () => Promise<T>) => Promise<T>;

/**
 * Sends by `send` unless the request would disturb the streamer; notes what it changes. It looks at the queue after `pace` has waited, at
 * once before each attempt: an alert of somebody else may arrive meanwhile.
 */
export async function guarded<T extends { status: number; body: unknown }>(
  request: Request,
  send: () => Promise<T>,
  pace: Pace<T> = (attempt) => attempt(),
): Promise<T> {
  expectReadOnly(request);
  const effect = effectOf(request);
  const streamer = streamerOf(request.key);
  const attempt = async () => {
    const sending = announce(streamer?.journal ?? null, request, effect);
    const reply = await send();
    noteAnswer(streamer?.journal ?? null, sending, reply);
    return reply;
  };
  return pace(async () => {
    if (streamer) await expectUndisturbed(streamer, effect);
    if (streamer && isInterrupted && !isHarmless(request) && request.method !== "DELETE") throw new Error("the run was interrupted");
    return streamer && !isHarmless(request) ? untilNoted(attempt(), effect) : attempt();
  });
}

/** Others that look at the queue, and the end of the rule, wait for the answer: what it names is not known as the suite's own before. */
async function untilNoted<T>(answer: Promise<T>, effect: Effect): Promise<T> {
  const settled = answer.catch(() => {});
  unanswered.set(settled, effect);
  await settled;
  unanswered.delete(settled);
  return answer;
}

/** Notes what an answer says was recorded, of a request that the guard has not sent. */
export function noteRecorded(request: Request, answer: { status: number; body: unknown; text: string }): void {
  noteAnswer(streamerOf(request.key)?.journal ?? null, { request, effect: "donation", token: null }, answer);
}

/** Whether the run has recorded this donation, on a server of someone else. */
export async function isRecordedHere(id: string): Promise<boolean> {
  // One about a webhook records none, and may wait for the receiver that asks here.
  await Promise.all([...unanswered].flatMap(([answer, effect]) => (effect === "webhook" ? [] : answer)));
  return (target().protection?.streamers ?? []).some(({ journal }) => notedIn(journal).made.has(pathOfDonation(id)));
}

/**
 * Ends the rule as "not run" where the streamer's alerts must be left alone in this run, and where the request would take alerts that are not
 * the suite's own, or overwrite what somebody else has set.
 */
async function expectUndisturbed(streamer: ProtectedStreamer, effect: Effect): Promise<void> {
  const { found, key, journal, refusal } = streamer;
  if (effect === "form") endAsNotRun("nobody can tell what a form of the studio changes, and so put it back");
  if (!["alert", "settings", "queue", "timer"].includes(effect)) return;
  if (refusal !== null && (found !== null || effect !== "alert")) endAsNotRun(refusal);
  const changed = touched.get(streamer) ?? new Set();
  const isFirst = !changed.has(effect);
  touched.set(streamer, changed.add(effect));
  if (found && effect === "queue" && !target().protection?.mayDisturbAlerts) {
    await Promise.all(unanswered.keys());
    const { others } = await viewQueue(streamer);
    if (others > 0) endAsNotRun(othersWaiting(others));
  }
  const timerOfOthers = found && effect === "timer" ? await refusalOfTimer(streamer) : null;
  if (timerOfOthers !== null) endAsNotRun(timerOfOthers);
  if (!found || effect !== "settings" || !isFirst) return;
  const [change] = Object.values(foreignChanges(journal, found, await readAlertState(key)));
  if (change === undefined) return;
  streamer.refusal = `somebody else changes the settings during the run: ${change}`;
  endAsNotRun(streamer.refusal);
}

/** After a rule: restores what it changed. What fails is tried again at the end of the run, which reports it. */
export async function restoreAfterRule(): Promise<void> {
  await Promise.all(unanswered.keys());
  for (const streamer of touched.keys()) {
    touched.delete(streamer);
    if (streamer.found) await restoreAlertState(streamer, streamer.found).catch(() => {});
  }
}

/** Why rules about alerts are not run while others' alerts play or wait. */
export const othersWaiting = (count: number): string =>
  `${count} ${count === 1 ? "alert that is not the suite's own is" : "alerts that are not the suite's own are"} waiting (--may-disturb-alerts)`;

/** Access tokens that the streamer of OTHER_API_KEY has approved. */
const tokensOfOther = new Set<string>();
export const noteTokenOfOther = (token: string): void => void tokensOfOther.add(token);

/** Whom the request concerns. Any other credential that nobody gave to the suite counts as main's: most are made from it. */
function streamerOf(key: Request["key"]): ProtectedStreamer | undefined {
  const { keys, protection } = target();
  const isOther = typeof key === "string" && (key === keys.other || key === keys.otherOverlay || tokensOfOther.has(key));
  return protection?.streamers.find(({ holder }) => holder === (isOther ? "other" : "main"));
}
