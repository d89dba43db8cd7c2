// Reads how a server of someone else is before the rules run, and puts that back afterwards.

import { rmSync } from "node:fs";
import { ask, foreignChanges, readAlertState, restoreAlertState, viewQueue } from "../client/protection/alert-state.ts";
import { othersWaiting } from "../client/protection/guard.ts";
import { type Creation, type Donation, note, notedIn } from "../client/protection/journal.ts";
import { plural } from "../report/format.ts";
import { type AlertState, type ProtectedStreamer, type Protection, protectedHolders } from "../values/protection.ts";
import { type Target, target } from "../values/target.ts";
import { digestOfKey, fileOf, isRunning, lastRun, type Subject, takeJournal } from "./journal.ts";
import type { Settings } from "./settings.ts";
import { NotMeasurable } from "./usage-error.ts";

type Options = Pick<Settings, "profile" | "readOnly" | "mayDisturbAlerts" | "stateFolder">;

type Streamer = Pick<ProtectedStreamer, "holder" | "key" | "journal">;

/** `isClean`: an interrupted run has left nothing that is still there. */
type Kept = ProtectedStreamer & { isClean: boolean };

export type Restored = { failures: string[]; notes: string[] };

export type Protecting = {
  protection: Protection;
  notes: string[];
  /** Puts back what the rules changed, and deletes what they created. Resolves to what could not be put back, and to remarks, in words. */
  restore: () => Promise<Restored>;
};

/** Restores what an interrupted run has left, then reads the state. Throws NotMeasurable while another run tests the same streamer. */
export async function protect(target: Target, options: Options): Promise<Protecting> {
  const { readOnly, mayDisturbAlerts, stateFolder } = options;
  const notes: string[] = readOnly ? ["only GET and HEAD are sent (--read-only): rules that would send something else are not run"] : [];
  const kept: Kept[] = [];
  try {
    for (const holder of protectedHolders) {
      const key = target.keys[holder];
      if (key === null) continue;
      const subject = { server: target.url, streamer: await streamerOf(key) };
      const journal = fileOf(stateFolder, subject);
      if (readOnly) notes.push(...warnOfLeft(journal, holder));
      else if (!kept.some((one) => one.journal === journal)) kept.push(await keep({ holder, key, journal, ...subject }, options, notes));
    }
  } catch (error) {
    for (const { journal, isClean } of kept) if (isClean) rmSync(journal, { force: true });
    throw error;
  }
  return { protection: { readOnly, mayDisturbAlerts, streamers: kept }, notes, restore: () => restoreAll(kept) };
}

/** The streamer of the key, as the server names it; a digest of the key where it has no such operation. */
async function streamerOf(key: string): Promise<string> {
  const { status, body } = await ask({ path: "/api/v1/me", key });
  const { data } = (body ?? {}) as { data?: { streamer?: { id?: unknown } } };
  const id = data?.streamer?.id;
  return status === 200 && typeof id === "string" ? id : digestOfKey(key);
}

/** Takes the streamer's journal, puts back what an interrupted run has left, and reads the state. */
async function keep(one: Streamer & Subject, options: Options, notes: string[]): Promise<Kept> {
  const { run, left } = takeJournal(one.journal, one);
  const interrupted = `a run that started at ${left?.startedAt} was interrupted (${one.holder})`;
  if (left?.found) await expectOwnSettings(one, left.found, interrupted);
  const { problems, undeleted, deleted, remarks } = await takeBack(one, left?.found ?? null, `of an interrupted run (${one.holder})`);
  const isStuck = left?.found != null && problems.length > 0;
  const { found, refusal } = isStuck ? { found: left.found, refusal: notPutBack } : await look(one, options);
  note(one.journal, { run: { ...run, found, startedAt: isStuck ? run.startedAt : new Date().toISOString() } });
  if (left) notes.push(interrupted + (isStuck ? `, and this cannot be put back: ${problems.join("; ")}` : putBack));
  if (deleted.length > 0) notes.push(`what an interrupted run had created is deleted (${one.holder}): ${deleted.join(", ")}`);
  notes.push(...undeleted.map((problem) => `WARNING: of an interrupted run (${one.holder}): ${problem}`), ...remarks);
  // Profile `interface` has no such rules.
  if (refusal !== null && options.profile === "contract") notes.push(`rules that change alerts (${one.holder}) are not run: ${refusal}`);
  return { ...one, found, refusal, isClean: problems.length + undeleted.length === 0 };
}

const putBack = ": settings, pause and queue are put back as it found them";
const notPutBack = "what an interrupted run changed cannot be put back";

/** Throws NotMeasurable where somebody has changed settings since the interrupted run, which putting back would overwrite. */
async function expectOwnSettings({ key, journal }: Streamer, found: AlertState, interrupted: string): Promise<void> {
  const present = await readAlertState(key).catch(() => null);
  const changes = present ? Object.values(foreignChanges(journal, found, present)) : [];
  if (changes.length === 0) return;
  throw new NotMeasurable(
    `settings have been changed since ${interrupted}, and are not overwritten: ${changes.join("; ")}. Set all of them as they shall be (the file has what the run found), then delete ${journal} and run again`,
  );
}

/** What a run with --read-only says about an interrupted one: it puts nothing back. */
function warnOfLeft(journal: string, holder: string): string[] {
  const run = lastRun(journal);
  const hasObjects = notedIn(journal).objects.size > 0;
  if (!run || isRunning(run) || !(run.found || hasObjects)) return [];
  const tasks = [
    ...(run.found ? ["settings, pause and queue are still to be put back"] : []),
    ...(hasObjects ? ["webhooks or alert files that it created are still to be deleted"] : []),
  ];
  return [
    `WARNING: a run that started at ${run.startedAt} was interrupted (${holder}): ${tasks.join(", and ")}, which a run without --read-only does (${journal})`,
  ];
}

/** How the streamer's alerts are, and why they must be left alone. */
async function look(streamer: Streamer, { mayDisturbAlerts }: Options): Promise<Pick<ProtectedStreamer, "found" | "refusal">> {
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

async function restoreAll(kept: readonly Kept[]): Promise<Restored> {
  const failures: string[] = [];
  const notes: string[] = [];
  for (const one of kept) {
    const { problems, undeleted, remarks } = await takeBack(one, one.found, `of this run (${one.holder})`);
    const all = [...problems, ...undeleted].join("; ");
    notes.push(...remarks);
    if (all === "") rmSync(one.journal, { force: true });
    else failures.push(`not put back on the server (${one.holder}): ${all}. The next run against it tries again (${one.journal})`);
  }
  return { failures, notes };
}

/** `problems`: what of alerts and settings is not put back. `undeleted`: webhooks and files. `remarks`: of donations and unseen requests. */
type TakenBack = { problems: string[]; deleted: string[]; undeleted: string[]; remarks: string[] };

/** Voids first, because that ends the alerts of these donations that wait. */
async function takeBack(streamer: Streamer, found: AlertState | null, whose: string): Promise<TakenBack> {
  const voided = await voidDonations(streamer);
  const problems = found ? await restoreAlertState(streamer, found).catch((error: unknown) => [messageOf(error)]) : [];
  const { deleted, problems: undeleted, unseen } = await deleteObjects(streamer.journal);
  const warnings = unseen.map(
    ({ list, sentAt }) =>
      `WARNING: ${whose}: nobody has seen the answer to POST ${list} of ${sentAt}: what it may have created is still there, because the suite deletes only what an answer has named`,
  );
  return { problems, deleted, undeleted, remarks: [...explainVoided(voided, whose), ...warnings] };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const explainVoided = ({ voided, left, why }: Voided, whose: string): string[] => [
  ...(voided > 0 ? [`${plural(voided, "donation")} ${whose} ${voided === 1 ? "is" : "are"} void now, with the reason test`] : []),
  ...(left.length > 0
    ? [
        `${plural(left.length, "donation")} ${whose} ${left.length === 1 ? "stays" : "stay"} on the server: ${why ?? "there was no time to void more"}. Together: ${sumOf(left)}`,
      ]
    : []),
];

/** What donations add to reports, such as "1,234.5 THB, from 2026-10-02 to 2026-10-30". */
function sumOf(donations: readonly Donation[]): string {
  const sum = donations.reduce((total, { amount }) => total + amount, 0).toLocaleString("en", { maximumFractionDigits: 2 });
  const days = donations.map(({ createdAt }) => createdAt.slice(0, 10)).sort();
  return `${sum} THB, from ${days[0]} to ${days.at(-1)}`;
}

// Voids donations, and deletes webhooks and alert files.

/** `left`: those that are not void. `why`: what the server answered to the first of these, in words; null: there was no time. */
type Voided = { voided: number; left: Donation[]; why: string | null };

/** `deleted`: paths. `problems`: what could not be deleted. `unseen`: requests that may have created more. */
type Removal = { deleted: string[]; problems: string[]; unseen: Creation[] };

/** How long donations are voided: a server that limits the rate may need longer for all of them. */
const longestMs = 60_000;
const atOnce = 8;

/** Voids the donations of the journal with the streamer's key, until the server refuses one for a reason that holds for all. */
async function voidDonations({ journal, key }: Pick<ProtectedStreamer, "journal" | "key">): Promise<Voided> {
  const all = notedIn(journal).donations.toSorted(byWeight);
  const named = new Map(all.flatMap((one) => (one.id === null ? [] : [[one.id, one]]))); // a repeated request has the same id
  const left = new Map(named);
  const deadline = Date.now() + longestMs;
  const remaining = named.keys();
  let why: string | null = null;
  const worker = async (): Promise<void> => {
    for (const id of remaining) {
      if (Date.now() > deadline || (why !== null && left.size === named.size)) return;
      const refusal = await voidOne(id, key);
      if (refusal === null) left.delete(id);
      why ??= refusal;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (all.length > 0) note(journal, { putBack: "donations" });
  const anonymous = all.filter(({ id }) => id === null);
  if (named.size === 0 && anonymous.length > 0) why = "no answer named the id of its donation";
  return { voided: named.size - left.size, left: [...left.values(), ...anonymous], why };
}

/** What distorts reports most comes first, because there may be no time for all: what is to happen, then large amounts. */
function byWeight(one: Donation, other: Donation): number {
  const now = new Date().toISOString();
  return Number(other.createdAt > now) - Number(one.createdAt > now) || other.amount - one.amount;
}

/** Resolves to why the donation is not void; null: it is. 409: it was before, for another reason. */
function voidOne(id: string, key: string): Promise<string | null> {
  const headers = { "Content-Type": "application/json" };
  const request = { method: "POST", path: `/api/v1/donations/${id}/void`, key, headers, body: '{"reason":"test"}' };
  const explain = (status: number): string => `the server answers ${status} to POST /api/v1/donations/{id}/void`;
  return refusalOf(request, [200, 409], explain);
}

/** Deletes the webhooks and alert files of the journal. */
async function deleteObjects(journal: string): Promise<Removal> {
  const removal: Removal = { deleted: [], problems: [], unseen: [] };
  const { objects, unanswered } = notedIn(journal);
  for (const [path, { holder }] of objects) {
    const key = holder && target().keys[holder];
    const refusal = key
      ? await refusalOf({ method: "DELETE", path, key }, [204, 404], (status) => `DELETE is answered ${status}`)
      : "this run has not the key that created it";
    if (refusal === null) note(journal, { deleted: path });
    if (refusal === null) removal.deleted.push(path);
    else removal.problems.push(`${path} is not deleted: ${refusal}`);
  }
  for (const [token, { creates }] of unanswered) {
    if (creates) removal.unseen.push(creates);
    if (creates) note(journal, { settled: token }); // it is told of once
  }
  return removal;
}

/** Resolves to why the request has not done what it should; null: it has. */
async function refusalOf(
  request: Parameters<typeof ask>[0],
  done: readonly number[],
  explain: (status: number) => string,
): Promise<string | null> {
  try {
    const { status } = await ask(request);
    return done.includes(status) ? null : explain(status);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
