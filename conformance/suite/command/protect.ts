// Reads how a server of someone else is before the rules run, and puts that back afterwards. A streamer's journal (client/protection/own.ts)
// exists as long as something may have to be put back: a run that was killed leaves it for the next one.

import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { ask } from "../client/protection/ask.ts";
import { othersWaiting, readAlertState, restoreAlertState, viewQueue } from "../client/protection/guard.ts";
import { beginJournal, note, notedIn, pathOfDonation, type Run } from "../client/protection/own.ts";
import { effectOnTimer } from "../client/protection/timer.ts";
import { plural } from "../report/format.ts";
import { type AlertState, type ProtectedStreamer, type Protection, protectedHolders, type Target } from "../values/target.ts";
import type { Settings } from "./settings.ts";
import { NotMeasurable } from "./usage-error.ts";

type Options = Pick<Settings, "profile" | "readOnly" | "mayDisturbAlerts" | "stateFolder">;
type Streamer = Pick<ProtectedStreamer, "holder" | "key" | "journal">;

/** In words. `failures`: what could not be put back. */
export type Restored = { failures: string[]; notes: string[] };

/** `restore` puts back what the rules changed, and deletes what they created. */
export type Protecting = { protection: Protection; notes: string[]; restore: () => Promise<Restored> };

/**
 * Restores what an interrupted run has left, then reads the state. Throws NotMeasurable while another run tests the same streamer, and where
 * what an interrupted one has left cannot be put back.
 */
export async function protect(target: Target, options: Options): Promise<Protecting> {
  const { readOnly, mayDisturbAlerts, stateFolder } = options;
  const notes = readOnly ? ["only GET and HEAD are sent (--read-only): rules that would send something else are not run"] : [];
  const streamers: ProtectedStreamer[] = [];
  try {
    for (const holder of protectedHolders) {
      const key = target.keys[holder];
      if (key === null) continue;
      const one = { holder, key, journal: journalOf(stateFolder, target.url, await streamerOf(key)) };
      if (readOnly) notes.push(...warnOfLeft(one));
      else if (!streamers.some(({ journal }) => journal === one.journal)) streamers.push(await keep(one, options, notes));
    }
  } catch (error) {
    for (const { journal } of streamers) rmSync(journal, { force: true });
    throw error;
  }
  return { protection: { readOnly, mayDisturbAlerts, streamers }, notes, restore: () => restoreAll(streamers) };
}

/** The streamer of the key, as the server names it; a digest of the key where it has no such operation. */
async function streamerOf(key: string): Promise<string> {
  const { status, body } = await ask({ path: "/api/v1/me", key });
  const { data } = (body ?? {}) as { data?: { streamer?: { id?: unknown } } };
  const id = data?.streamer?.id;
  return status === 200 && typeof id === "string" ? id : digestOfKey(key);
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
export const digestOfKey = (key: string): string => `sha256:${digest(key)}`;
export const journalOf = (folder: string, server: string, streamer: string): string =>
  join(folder, `${digest(`${server}\n${streamer}`)}.ndjson`);

/** Takes the journal for this run. Returns the run that was killed and has left it, or null. Throws NotMeasurable while another one has it. */
function takeJournal(journal: string): Run | null {
  const { run: left } = notedIn(journal);
  mkdirSync(dirname(journal), { recursive: true, mode: 0o700 });
  if (left && isRunning(left))
    throw new NotMeasurable(explainOther(journal, `since ${left.startedAt} (process ${left.pid} on ${left.host})`));
  const { host, pid, ...own } = ownRun();
  const run: Run = { ...own, ...left, host, pid };
  try {
    // A crash may have cut off the last line. Of two runs that start at once only one creates the file.
    writeFileSync(journal, `\n${JSON.stringify({ run })}\n`, { mode: 0o600, flag: left ? "a" : "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new NotMeasurable(explainOther(journal, "since this moment, or has left a journal that names no run"));
  }
  return left;
}

const ownRun = (): Run => ({ found: null, startedAt: new Date().toISOString(), host: hostname(), pid: process.pid });

const explainOther = (journal: string, since: string): string =>
  `another run tests the server with the same streamer ${since}: wait for its end. ${journal} is its journal`;

/** Whether the run goes on. A process of another machine counts as ended: it cannot be seen from here. */
function isRunning({ host, pid }: Run): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Takes the streamer's journal, puts back what an interrupted run has left, and reads the state. */
async function keep(one: Streamer, { profile, mayDisturbAlerts }: Options, notes: string[]): Promise<ProtectedStreamer> {
  const { holder, journal } = one;
  const left = takeJournal(journal);
  const waiting: string[] = [];
  if (left) {
    const { problems, remarks, ...others } = await takeBack(one, left.found, { whose: `of an earlier run (${holder})` });
    const interrupted = `a run that started at ${left.startedAt} was interrupted (${holder})`;
    const advice = `Set and delete it by hand (the file has what the run found), then delete ${journal} and run again`;
    if (problems.length > 0) throw new NotMeasurable(`${interrupted}, and this is not put back: ${problems.join("; ")}. ${advice}`);
    if (left.found) notes.push(`${interrupted}: settings, pause and queue are put back as it found them`);
    notes.push(...remarks);
    waiting.push(...others.waiting);
  }
  const state = await look(one, mayDisturbAlerts);
  const onTimer = state.found?.timer ? effectOnTimer(state.found.timer) : null;
  if (onTimer !== null && !mayDisturbAlerts) throw new NotMeasurable(`${onTimer} (${holder}). End it first, or use --may-disturb-alerts`);
  if (onTimer !== null) notes.push(`WARNING: ${onTimer} (${holder})`);
  beginAgain(journal, state.found, waiting);
  // Profile `interface` has no such rules.
  if (state.refusal !== null && profile === "contract") notes.push(`rules that change alerts (${holder}) are not run: ${state.refusal}`);
  return { ...one, ...state };
}

/** How the streamer's alerts are, and why they must be left alone. */
async function look(streamer: Streamer, mayDisturbAlerts: boolean): Promise<Pick<ProtectedStreamer, "found" | "refusal">> {
  try {
    const found = await readAlertState(streamer.key);
    const { others, connected } = await viewQueue(streamer);
    if (mayDisturbAlerts) return { found, refusal: null };
    const page = connected ? "an overlay is connected, which would show the suite's alerts (--may-disturb-alerts)" : null;
    return { found, refusal: others > 0 ? othersWaiting(others) : page };
  } catch (error) {
    return { found: null, refusal: `the present state cannot be read and so not be put back: ${messageOf(error)}` };
  }
}

/** What a run with --read-only says about an interrupted one: it puts nothing back. */
function warnOfLeft({ holder, journal }: Streamer): string[] {
  const { run } = notedIn(journal);
  if (!run || isRunning(run)) return [];
  const task = "what it changed is still to be put back or deleted, which a run without --read-only does";
  return [`WARNING: a run that started at ${run.startedAt} was interrupted (${holder}): ${task} (${journal})`];
}

/** `voidingMs`: how long a streamer's donations are voided. */
export async function restoreAll(streamers: readonly ProtectedStreamer[], voidingMs = longestMs): Promise<Restored> {
  const [failures, notes]: [string[], string[]] = [[], []];
  for (const one of streamers) {
    const { problems, remarks, waiting } = await takeBack(one, one.found, { whose: `of this run (${one.holder})`, voidingMs });
    notes.push(...remarks);
    if (problems.length === 0 && waiting.length > 0) beginAgain(one.journal, null, waiting);
    else if (problems.length === 0) rmSync(one.journal, { force: true });
    else
      failures.push(
        `not put back on the server (${one.holder}): ${problems.join("; ")}. The next run against it tries again (${one.journal})`,
      );
  }
  return { failures, notes };
}

/** A journal that names what an earlier run has left. */
function beginAgain(journal: string, found: AlertState | null, waiting: readonly string[]): void {
  beginJournal(journal, { ...ownRun(), found });
  if (waiting.length > 0) note(journal, { made: [...waiting] });
}

/**
 * `problems`: what is not put back or deleted. `waiting`: donations for which there was no time. Voids first, because that ends the alerts of
 * these donations that wait.
 */
async function takeBack(
  { key, journal }: Streamer,
  found: AlertState | null,
  { whose, voidingMs = longestMs }: { whose: string; voidingMs?: number },
): Promise<{ problems: string[]; remarks: string[]; waiting: string[] }> {
  const { made, gone, unanswered, unnamed } = notedIn(journal);
  const left = [...made].filter((path) => !gone.has(path));
  const donations = left.filter((path) => path.startsWith(pathOfDonation("")));
  const { remarks, waiting } = await voidDonations({ key, journal }, { paths: donations, unnamed, whose, voidingMs });
  const problems = found ? await restoreAlertState({ key, journal }, found).catch((error: unknown) => [messageOf(error)]) : [];
  for (const path of left.filter((one) => !donations.includes(one))) {
    const refusal = await refusalOf({ method: "DELETE", path, key }, [204, 404]);
    if (refusal) problems.push(`${path} is not deleted: ${refusal}`);
    else note(journal, { gone: [path] });
    if (!refusal) remarks.push(`deleted: ${path} ${whose}`);
  }
  for (const { creates, sentAt } of [...unanswered.values()].filter((announced) => announced.creates)) {
    const why = "what it may have created is still there, because the suite deletes only what an answer has named";
    remarks.push(`WARNING: ${whose}: nobody has seen the answer to POST ${creates} of ${sentAt}: ${why}`);
  }
  return { problems, remarks, waiting };
}

/** Voids the donations that these answers name, without a journal. */
export async function voidAtOnce(key: string, answers: readonly { body: unknown }[]): Promise<void> {
  const ids = answers.map(({ body }) => (body as { data?: { id?: unknown } } | null)?.data?.id).filter((id) => typeof id === "string");
  for (const id of ids) await refusalOf({ ...voiding(key), path: `${pathOfDonation(id)}/void` }, voidAnswers);
}

/** How long donations are voided: a server that limits the rate may need longer for all of them. */
const longestMs = 60_000;
const atOnce = 8;
const voidAnswers = [200, 409]; // 409: it was void before, for another reason
const voiding = (key: string) => ({ method: "POST", key, headers: { "Content-Type": "application/json" }, body: '{"reason":"test"}' });
const stays = ["stays", "stay"] as const;

type Recorded = { paths: string[]; unnamed: number; whose: string; voidingMs: number };

/** Voids donations with the streamer's key, the last ones first, until the server refuses one for a reason that holds for all. */
async function voidDonations(
  { key, journal }: Pick<Streamer, "key" | "journal">,
  { paths, unnamed, whose, voidingMs }: Recorded,
): Promise<{ remarks: string[]; waiting: string[] }> {
  const waiting = [...paths];
  const [voided, refused]: [string[], string[]] = [[], []];
  let why = "";
  for (const deadline = Date.now() + voidingMs; waiting.length > 0 && Date.now() < deadline; ) {
    const some = waiting.splice(-atOnce);
    const refusals = await Promise.all(some.map((path) => refusalOf({ ...voiding(key), path: `${path}/void` }, voidAnswers)));
    for (const [index, path] of some.entries()) (refusals[index] === null ? voided : refused).push(path);
    why ||= refusals.find((one) => one !== null) ?? "";
    if (voided.length === 0) refused.push(...waiting.splice(0)); // the reason holds for all
  }
  if (voided.length > 0) note(journal, { gone: voided });
  const tell = (some: number, [one, more]: readonly [string, string], what: string): string[] =>
    some === 0 ? [] : [`${plural(some, "donation")} ${whose} ${some === 1 ? one : more} ${what}`];
  const remarks = [
    ...tell(voided.length, ["is", "are"], "void now, with the reason test"),
    ...tell(refused.length, stays, `on the server: ${why}`),
    ...tell(waiting.length, stays, "on the server: there was no time to void more, and the next run goes on"),
    ...tell(unnamed, stays, "on the server: no answer named the id of its donation"),
  ];
  return { remarks, waiting };
}

/** Resolves to why the request has not done what it should, in words; null: it has. */
async function refusalOf(request: Parameters<typeof ask>[0], done: readonly number[]): Promise<string | null> {
  try {
    const { status } = await ask(request);
    return done.includes(status) ? null : `the server answers ${status} to ${request.method} ${request.path}`;
  } catch (error) {
    return messageOf(error);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
