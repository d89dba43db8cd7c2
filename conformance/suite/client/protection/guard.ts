// Decides, before a request is sent, whether it may be sent to a server of someone else.

import { type Effect, effectOf } from "../../contract/effects.ts";
import type { Request } from "../../contract/http-request.ts";
import { type ProtectedHolder, type ProtectedStreamer, protectedHolders } from "../../values/protection.ts";
import { endAsNotRun } from "../../values/running.ts";
import { target } from "../../values/target.ts";
import { expectReadOnly } from "../send-once.ts";
import { AlertStateError, readAlertState, restoreAlertState, viewQueue } from "./alert-state.ts";
import { noteOwnDonation, noteSentAlert } from "./own-alerts.ts";
import { isRecorded, noteRecorded } from "./own-donations.ts";
import { notingObjects } from "./own-objects.ts";
import { explainForeignChange, foreignChanges, noteOwnSettings } from "./own-settings.ts";

const touched = new Set<ProtectedHolder>();
/** Whose settings the running rule changes. */
const changesSettings = new Set<ProtectedHolder>();
const unanswered = new Set<Promise<unknown>>();

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
  const { holder, streamer } = streamerOf(request.key);
  const effect = effectOf(request);
  expectReadOnly(request);
  if (!streamer || leavesAlertsAlone(effect)) return pace(() => notingObjects(request, streamer?.ownObjects ?? null, send));
  expectNotRefused(streamer, effect);
  const answer = pace(async () => {
    await prepare(request, effect);
    const token = noteSentAlert(streamer, effect, request);
    const reply = await send();
    noteOwnDonation(streamer, { effect, token }, reply);
    if (effect === "alert" || effect === "donation") noteRecorded(streamer.ownDonations, request, reply);
    return reply;
  }).then(async (reply) => {
    if (effect === "settings") noteOwnSettings(streamer, await settingsAfter(reply, holder));
    return reply;
  });
  return effect === "alert" || effect === "donation" ? untilNoted(answer) : answer;
}

/** Others that look at the queue wait for the answer: its donation is not known as the suite's own before. */
async function untilNoted<T>(answer: Promise<T>): Promise<T> {
  const settled = answer.catch(() => {});
  unanswered.add(settled);
  await settled;
  unanswered.delete(settled);
  return answer;
}

/** Whether the run has recorded this donation, on a server of someone else. */
export async function isRecordedHere(id: string): Promise<boolean> {
  await Promise.all(unanswered);
  return Object.values(target().protection?.streamers ?? {}).some(({ ownDonations }) => isRecorded(ownDonations, id));
}

/** Ends the rule as "not run" where the streamer's alerts must be left alone in this run. */
function expectNotRefused({ found, refusal }: ProtectedStreamer, effect: Effect): void {
  if (effect !== "donation" && refusal !== null && (found !== null || effect !== "alert")) endAsNotRun(refusal);
}

/** Looks, at once before the request, whether it would disturb somebody else, and notes what it is about to change. */
async function prepare({ key, body }: Request, effect: Effect): Promise<void> {
  const { holder, streamer } = streamerOf(key);
  if (!streamer) return;
  if (effect !== "donation") touched.add(holder);
  if (effect === "queue") await expectUndisturbed(holder, streamer);
  if (effect !== "settings") return;
  await expectUnchangedSettings(holder, streamer);
  noteOwnSettings(streamer, objectIn(body));
}

/** Ends the rule as "not run" where alerts wait or play that are not the suite's own. */
async function expectUndisturbed(holder: ProtectedHolder, streamer: ProtectedStreamer): Promise<void> {
  if (streamer.found === null || target().protection?.mayDisturbAlerts) return;
  await Promise.all(unanswered);
  const { others } = await viewQueue(keyOf(holder), streamer);
  if (others > 0) endAsNotRun(othersWaiting(others));
}

/** Ends the rule as "not run" where somebody else has changed settings since they were read, which this rule would overwrite. */
async function expectUnchangedSettings(holder: ProtectedHolder, streamer: ProtectedStreamer): Promise<void> {
  const { found } = streamer;
  if (found === null || changesSettings.has(holder)) return;
  changesSettings.add(holder);
  const { settings } = await readAlertState(keyOf(holder));
  const [change] = foreignChanges(streamer, found.settings, settings);
  if (!change) return;
  streamer.refusal = `somebody else changes the settings during the run: ${explainForeignChange(change)}`;
  endAsNotRun(streamer.refusal);
}

/** The settings in the answer of the API; those of a form or of a tool call are read. */
async function settingsAfter({ status, body }: { status: number; body: unknown }, holder: ProtectedHolder): Promise<unknown> {
  if (status >= 400) return null;
  const { data } = (body ?? {}) as { data?: unknown };
  return data ?? (await readAlertState(keyOf(holder)).catch(() => null))?.settings;
}

function objectIn(body: Request["body"] = ""): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return null;
  }
}

const leavesAlertsAlone = (effect: Effect): boolean => ["nothing", "webhook", "file", "credential"].includes(effect);

/** After a rule: restores what it changed. What fails is tried again at the end of the run, which reports it. */
export async function restoreAfterRule(): Promise<void> {
  for (const holder of touched) {
    const streamer = target().protection?.streamers[holder];
    touched.delete(holder);
    changesSettings.delete(holder);
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
