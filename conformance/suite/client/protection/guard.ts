// Decides, before a request is sent, whether it may be sent to a server of someone else, and puts back after each rule what it changed.

import { type Effect, effectOf, isHarmless, type Request } from "../../contract/http-request.ts";
import { endAsNotRun } from "../../values/running.ts";
import { type ProtectedStreamer, target } from "../../values/target.ts";
import { expectReadOnly } from "../send-once.ts";
import { foreignChanges, readAlertState, restoreAlertState, viewQueue } from "./alert-state.ts";
import { announce, noteAnswer, notedIn, pathOfDonation } from "./own.ts";

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
  if (!["alert", "settings", "queue"].includes(effect)) return;
  if (refusal !== null && (found !== null || effect !== "alert")) endAsNotRun(refusal);
  const changed = touched.get(streamer) ?? new Set();
  const isFirst = !changed.has(effect);
  touched.set(streamer, changed.add(effect));
  if (found && effect === "queue" && !target().protection?.mayDisturbAlerts) {
    await Promise.all(unanswered.keys());
    const { others } = await viewQueue(streamer);
    if (others > 0) endAsNotRun(othersWaiting(others));
  }
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

/** Whom the request concerns. A credential that nobody gave to the suite counts as main's: most are made from it. */
function streamerOf(key: Request["key"]): ProtectedStreamer | undefined {
  const { keys, protection } = target();
  const isOther = typeof key === "string" && (key === keys.other || key === keys.otherOverlay);
  return protection?.streamers.find(({ holder }) => holder === (isOther ? "other" : "main"));
}
