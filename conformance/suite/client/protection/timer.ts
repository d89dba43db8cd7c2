// Protects the timer of a server of someone else. One that runs or is paused is left alone: once ended, nothing brings it back. Otherwise rules
// may start one, which is ended after them, and the rules of the timer are put back.

import { isDeepStrictEqual } from "node:util";
import type { ProtectedStreamer, TimerState } from "../../values/target.ts";
import { ask, read } from "./ask.ts";
import { note, notedIn } from "./own.ts";

type Streamer = Pick<ProtectedStreamer, "key" | "journal">;

const path = "/api/v1/timer";

/** Null where the server has no timer, or does not show it. */
export async function readTimer(key: string): Promise<TimerState | null> {
  const { status, rules } = await read(path, key).catch(() => ({ status: undefined, rules: undefined }));
  return typeof status === "string" && typeof rules === "object" && rules !== null ? { status, rules: { ...rules } } : null;
}

/** What keeps the suite from changing the timer, in words; null: nothing. */
export async function refusalOfTimer({ key, journal }: Streamer): Promise<string | null> {
  const timer = await readTimer(key);
  const isOwn = notedIn(journal).timer;
  return timer === null || isOwn || !isCounting(timer) ? null : `a timer that is not the suite's own is ${timer.status}`;
}

/** Ends the suite's timer, and puts the rules back, where it has changed them. Resolves to what could not be put back, in words. */
export async function restoreTimer({ key, journal }: Streamer, found: TimerState | null | undefined): Promise<string[]> {
  const present = found && notedIn(journal).timer ? await readTimer(key) : null;
  if (!found || !present) return [];
  const send = (method: string, to: string, body: object) =>
    ask({ method, path: `${path}/${to}`, key, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (isCounting(present)) await ask({ method: "POST", path: `${path}/end`, key });
  if (!isDeepStrictEqual(present.rules, found.rules)) await send("PATCH", "rules", found.rules);
  const now = await readTimer(key);
  const isBack = now && !isCounting(now) && isDeepStrictEqual(now.rules, found.rules);
  if (!isBack) return ["the timer or its rules: not as before the run"];
  note(journal, { timer: false });
  return [];
}

/** What the suite's donations do to the timer, in words; null: nothing. */
export function effectOnTimer({ status, rules }: TimerState): string | null {
  if (!isCounting({ status, rules }) || isDeepStrictEqual(rules.steps, [])) return null;
  return `a timer is ${status}, to which the run's donations would add time until they are void`;
}

const isCounting = ({ status }: TimerState): boolean => status === "running" || status === "paused";
