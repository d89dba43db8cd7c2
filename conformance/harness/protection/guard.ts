import type { Request } from "../client/http-client.ts";
import { endAsNotRun } from "../server/running.ts";
import { target } from "../server/target.ts";
import { AlertStateError, restoreAlertState, viewQueue } from "./alert-state.ts";
import { type Effect, effectOf, isHarmless } from "./effects.ts";
import { noteOwnDonation } from "./own-alerts.ts";
import { type ProtectedHolder, type ProtectedStreamer, protectedHolders } from "./protection.ts";

// Decides, before a request is sent, whether it may be sent to a server of someone else.

const readOnlyReason = "left out by --read-only: it sends a request that may change something";

const touched = new Set<ProtectedHolder>();
const unanswered = new Set<Promise<unknown>>();

/** Ends the rule as "not run" where `--read-only` forbids the request. */
export function expectReadOnly(request: Request): void {
  if (target().protection?.readOnly && !isHarmless(request)) endAsNotRun(readOnlyReason);
}

/** Sends by `send` unless the request would disturb the streamer; notes what it changes. */
export async function guarded<T extends { status: number; body: unknown }>(request: Request, send: () => Promise<T>): Promise<T> {
  const { holder, streamer } = streamerOf(request.key);
  const effect = effectOf(request);
  expectReadOnly(request);
  if (!streamer || leavesAlertsAlone(effect)) return send();
  await expectUndisturbed(request.key, effect);
  if (effect !== "donation") touched.add(holder);
  const answer = send().then((reply) => {
    noteOwnDonation(streamer, effect, reply);
    return reply;
  });
  const settled = answer.catch(() => {});
  unanswered.add(settled);
  await settled;
  unanswered.delete(settled);
  return answer;
}

/** Ends the rule as "not run" where the request could disturb alerts that are not the suite's own. */
export async function expectUndisturbed(key: Request["key"], effect: Effect): Promise<void> {
  const { holder, streamer } = streamerOf(key);
  if (!streamer || effect === "donation" || leavesAlertsAlone(effect)) return;
  const { found, refusal } = streamer;
  if (refusal !== null && (found !== null || effect !== "alert")) endAsNotRun(refusal);
  if (effect !== "queue" || found === null || target().protection?.mayDisturbAlerts) return;
  touched.add(holder);
  await Promise.all(unanswered); // their donations are not known as the suite's own yet
  const { others } = await viewQueue(keyOf(holder), streamer);
  if (others > 0) endAsNotRun(othersWaiting(others));
}

const leavesAlertsAlone = (effect: Effect): boolean => ["nothing", "webhook", "credential"].includes(effect);

/** After a rule: restores what it changed. What fails is tried again at the end of the run, which reports it. */
export async function restoreAfterRule(): Promise<void> {
  for (const holder of touched) {
    const streamer = target().protection?.streamers[holder];
    touched.delete(holder);
    if (!streamer?.found) continue;
    await restoreAlertState(keyOf(holder), streamer.found, streamer).catch((error: unknown) => {
      if (!(error instanceof AlertStateError)) throw error;
    });
  }
}

/** Why rules about alerts are not run while others' alerts play or wait. */
export const othersWaiting = (count: number): string =>
  `${count} ${count === 1 ? "alert that is not the suite's own is" : "alerts that are not the suite's own are"} waiting (--may-disturb-alerts)`;

/** A credential that nobody gave to the suite counts as main's: most are made from it. */
function streamerOf(key: Request["key"]): { holder: ProtectedHolder; streamer: ProtectedStreamer | undefined } {
  const { keys, protection } = target();
  const ofOther = typeof key === "string" && (key === keys.other || key === keys.otherOverlay);
  const holder = protectedHolders[ofOther ? 1 : 0];
  return { holder, streamer: protection?.streamers[holder] };
}

const keyOf = (holder: ProtectedHolder): string => target().keys[holder] ?? target().keys.main;
