// Reads what rules change of a streamer's alerts, and puts it back.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { operation } from "../../contract/contract.ts";
import type { Reply, Request } from "../../contract/http-request.ts";
import { inputsOf } from "../../contract/inputs.ts";
import type { AlertState, ProtectedStreamer } from "../../values/protection.ts";
import { withRateLimitRetries } from "../rate-limit-retries.ts";
import { sendOnce } from "../send-once.ts";
import { adoptUnanswered, ownDonations } from "./own-alerts.ts";
import { explainForeignChange, foreignChanges, forgetOwnSettings } from "./own-settings.ts";

/** Alerts that play, wait or are held. `others`: how many are not the suite's own. */
export type QueueView = { paused: boolean; hidden: boolean; connected: boolean; playing: boolean; waiting: number; others: number };

type Alert = Record<string, unknown> & { donationId?: unknown };
type Queue = { paused: boolean; hidden: boolean; connected?: boolean; playing: Alert | null; waiting: Alert[]; waitingCount: number };
type Own = Pick<ProtectedStreamer, "ownAlerts">;
type OwnChanges = Pick<ProtectedStreamer, "ownAlerts" | "ownSettings">;

/** The state or the queue cannot be read or put back; the message says what the server answered. */
export class AlertStateError extends Error {}

/** An alert of somebody else has arrived, which the request would have taken. */
class OthersWaiting extends Error {}

const timeoutMs = 15_000;
const clearingMs = 8_000;
const parallelReads = 16;

/** Throws AlertStateError where the server does not answer settings and queue. */
export async function readAlertState(key: string): Promise<AlertState> {
  const reply = await ask({ path: "/api/v1/alerts/settings", key });
  const data = dataOf(reply);
  if (data === null) throw new AlertStateError(`GET /api/v1/alerts/settings is answered ${reply.status}`);
  const changeable = Object.keys(inputsOf(operation("updateAlertSettings")).body?.shape.properties ?? {});
  const settings = Object.fromEntries(changeable.filter((name) => name in data).map((name) => [name, data[name]]));
  const { paused, hidden } = await readQueue(key);
  return { settings, paused, hidden };
}

/** Counts what plays and waits. Throws AlertStateError where the server does not answer the queue. */
export async function viewQueue(key: string, own: Own): Promise<QueueView> {
  const { paused, hidden, connected = false, playing, waiting, waitingCount } = await readQueue(key);
  const alerts = [...(playing ? [playing] : []), ...waiting];
  await adoptUnanswered(own, alerts, async (id) => dataOf(await ask({ path: `/api/v1/donations/${id}`, key })) ?? {});
  const ids = ownDonations(own);
  const visible = alerts.map(({ donationId }) => String(donationId));
  const unlisted = Math.max(0, waitingCount - waiting.length);
  const unlistedOwn = unlisted > 0 ? await countQueued(key, [...ids].filter((id) => !visible.includes(id)).slice(-unlisted)) : 0;
  const others = visible.filter((id) => !ids.has(id)).length + Math.max(0, unlisted - unlistedOwn);
  return { paused, hidden, connected, playing: playing !== null, waiting: waitingCount, others };
}

/**
 * Removes the suite's own alerts and restores pause, hiding and settings, except those that somebody else has changed since. Resolves to what
 * could not be put back, in words.
 */
export async function restoreAlertState(key: string, found: AlertState, own: OwnChanges): Promise<string[]> {
  const problems = [...(await removeOwnAlerts(key, own)), ...(await restoreSettings(key, found, own))];
  const { paused, hidden } = await viewQueue(key, own);
  if (paused !== found.paused) await control(key, found.paused ? "pause" : "resume");
  if (hidden !== found.hidden) await control(key, found.hidden ? "hide" : "unhide");
  const now = await readAlertState(key);
  if (now.paused !== found.paused) problems.push(`the queue is ${now.paused ? "still" : "no longer"} paused`);
  if (now.hidden !== found.hidden) problems.push(`everything is ${now.hidden ? "still" : "no longer"} hidden`);
  return problems;
}

async function restoreSettings(key: string, { settings: found }: AlertState, own: OwnChanges): Promise<string[]> {
  const present = (await readAlertState(key)).settings;
  const foreign = foreignChanges(own, found, present);
  const settings = Object.fromEntries(Object.entries(found).filter(([name]) => !foreign.some((one) => one.name === name)));
  const problems = await patchSettings(key, settings, changedMembers(settings, present));
  if (foreign.length === 0 && problems.length === 0) forgetOwnSettings(own);
  return [...problems, ...foreign.map(explainForeignChange)];
}

async function patchSettings(key: string, settings: AlertState["settings"], changed: AlertState["settings"]): Promise<string[]> {
  if (Object.keys(changed).length === 0) return [];
  const headers = { "Content-Type": "application/json" };
  const reply = await ask({ method: "PATCH", path: "/api/v1/alerts/settings", key, headers, body: JSON.stringify(changed) });
  const left = Object.keys(changedMembers(settings, (await readAlertState(key)).settings));
  return left.length > 0 ? [`the settings ${left.join(", ")} (PATCH is answered ${reply.status})`] : [];
}

/** Pauses meanwhile, so that nothing new begins; an alert that a just closed page had may return to the queue. */
async function removeOwnAlerts(key: string, own: Own): Promise<string[]> {
  const deadline = performance.now() + clearingMs;
  for (let view = await viewQueue(key, own); view.playing || view.waiting > 0; view = await viewQueue(key, own)) {
    const left = view.waiting + Number(view.playing) - view.others;
    if (left === 0) return [];
    if (view.others > 0 || performance.now() > deadline) return [`${left} alerts of the suite still wait`];
    if (!view.paused) await control(key, "pause");
    await endAlerts(key, own, view).catch((error: unknown) => {
      if (!(error instanceof OthersWaiting)) throw error;
    });
    if (view.paused) await sleep(50);
  }
  return [];
}

async function endAlerts(key: string, own: Own, { playing, waiting }: QueueView): Promise<void> {
  const expectAlone = async (): Promise<void> => {
    if ((await viewQueue(key, own)).others > 0) throw new OthersWaiting();
  };
  if (playing) await control(key, "skip", expectAlone);
  if (waiting > 0) await control(key, "clear", expectAlone);
}

const changedMembers = (wanted: AlertState["settings"], present: AlertState["settings"]): AlertState["settings"] =>
  Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(present[name], value)));

async function readQueue(key: string): Promise<Queue> {
  const reply = await ask({ path: "/api/v1/alerts", key });
  const data = dataOf(reply);
  if (typeof data?.paused === "boolean" && Array.isArray(data.waiting) && typeof data.waitingCount === "number")
    return withHeld(data as Queue);
  throw new AlertStateError(`GET /api/v1/alerts is answered ${reply.status}`);
}

type Answered = Omit<Queue, "hidden"> & { hidden?: boolean; held?: Alert[]; heldCount?: number };

/** Held alerts count as waiting. A server that cannot hold or hide alerts has none. */
function withHeld({ hidden = false, held = [], heldCount = 0, waiting, waitingCount, ...others }: Answered): Queue {
  return { ...others, hidden, waiting: [...waiting, ...held], waitingCount: waitingCount + heldCount };
}

/** How many of these donations wait for their alert. */
async function countQueued(key: string, ids: readonly string[]): Promise<number> {
  let count = 0;
  const remaining = ids.values();
  const worker = async (): Promise<void> => {
    for (const id of remaining) {
      const { alert } = dataOf(await ask({ path: `/api/v1/donations/${id}`, key })) ?? {};
      if ((alert as { status?: unknown } | undefined)?.status === "queued") count += 1;
    }
  };
  await Promise.all(Array.from({ length: parallelReads }, worker));
  return count;
}

type Control = "pause" | "resume" | "skip" | "clear" | "hide" | "unhide";

const control = (key: string, name: Control, check?: () => Promise<void>): Promise<Reply> =>
  ask({ method: "POST", path: `/api/v1/alerts/${name}`, key }, check);

/**
 * Sends the request, whatever the guard says, and waits for rate limits; `check` runs at once before each attempt. Throws AlertStateError
 * after 15 s without an answer.
 */
export function ask(request: Request, check = async (): Promise<void> => {}): Promise<Reply> {
  return withRateLimitRetries(async () => {
    await check();
    return Promise.race([sendOnce(request), rejectOn(AbortSignal.timeout(timeoutMs), request)]);
  });
}

const rejectOn = (late: AbortSignal, { method = "GET", path }: Request): Promise<never> =>
  new Promise((_, reject) =>
    late.addEventListener("abort", () => reject(new AlertStateError(`${method} ${path} is not answered within ${timeoutMs / 1000} s`))),
  );

function dataOf({ status, body }: Reply): Record<string, unknown> | null {
  const { data } = (body ?? {}) as { data?: unknown };
  return status === 200 && typeof data === "object" && data !== null ? (data as Record<string, unknown>) : null;
}
