// Reads how a server of someone else is before the rules run, and puts that back afterwards.

import { rmSync } from "node:fs";
import { AlertStateError, ask, readAlertState, restoreAlertState, viewQueue } from "../client/protection/alert-state.ts";
import { othersWaiting } from "../client/protection/guard.ts";
import { type Own as OwnDonation, type Voided, voidRecorded } from "../client/protection/own-donations.ts";
import { type Removal, removeObjects } from "../client/protection/own-objects.ts";
import { explainForeignChange, foreignChanges } from "../client/protection/own-settings.ts";
import { plural } from "../report/format.ts";
import { type AlertState, type ProtectedHolder, type ProtectedStreamer, type Protection, protectedHolders } from "../values/protection.ts";
import type { Target } from "../values/target.ts";
import { digestOfKey, type Entry, findLeft, type Journal, openJournal } from "./journal.ts";
import type { Settings } from "./settings.ts";
import { NotMeasurable } from "./usage-error.ts";

type Options = Pick<Settings, "profile" | "readOnly" | "mayDisturbAlerts" | "stateFolder">;

/** `isClean`: an interrupted run has left nothing that is still there. */
type Kept = { holder: ProtectedHolder; key: string; journal: Journal; streamer: ProtectedStreamer; isClean: boolean };

export type Restored = { failures: string[]; notes: string[] };

export type Protecting = {
  protection: Protection;
  notes: string[];
  /** Puts back what the rules changed, and deletes what they created. Resolves to what could not be put back, and to remarks, in words. */
  restore: () => Promise<Restored>;
};

/** Restores what an interrupted run has left, then reads the state. Throws NotMeasurable while another run tests the same streamer. */
export async function protect(target: Target, options: Options): Promise<Protecting> {
  const { readOnly, mayDisturbAlerts } = options;
  const kept: Kept[] = [];
  const notes: string[] = readOnly ? ["only GET and HEAD are sent (--read-only): rules that would send something else are not run"] : [];
  if (readOnly) for (const holder of protectedHolders) notes.push(...(await warnOfLeft(holder, target, options)));
  try {
    if (!readOnly) for (const holder of protectedHolders) await protectHolder(holder, { target, options, kept, notes });
  } catch (error) {
    for (const { journal, isClean } of kept) if (isClean) journal.remove();
    throw error;
  }
  const streamers = Object.fromEntries(kept.map(({ holder, streamer }) => [holder, streamer]));
  return { protection: { readOnly, mayDisturbAlerts, streamers }, notes, restore: () => restoreAll(kept) };
}

type Protect = { target: Target; options: Options; kept: Kept[]; notes: string[] };

async function protectHolder(holder: ProtectedHolder, { target, options, kept, notes }: Protect): Promise<void> {
  const key = target.keys[holder];
  const subject = key === null ? null : { server: target.url, streamer: await streamerOf(key) };
  if (key === null || subject === null || kept.some(({ journal }) => journal.streamer === subject.streamer)) return;
  const journal = openJournal(options.stateFolder, subject);
  const { ownAlerts, ownSettings, ownObjects, ownDonations, left } = journal;
  if (left?.found) await expectOwnSettings(key, left.found, { holder, journal });
  const problems = left?.found ? await restore(key, left.found, journal) : [];
  const removal = await removeObjects(ownObjects);
  notes.push(...explainVoided(await voidRecorded(ownDonations, key), `of an interrupted run (${holder})`));
  rmSync(ownDonations, { force: true });
  if (left) notes.push(explainLeft(left, holder, problems));
  notes.push(...explainRemoval(removal, holder));
  const { found, refusal } =
    left?.found && problems.length > 0
      ? { found: left.found, refusal: "what an interrupted run changed cannot be put back" }
      : await look(key, ownAlerts, options);
  journal.write(found);
  // Profile `interface` has no such rules.
  if (refusal !== null && options.profile === "contract") notes.push(`rules that change alerts (${holder}) are not run: ${refusal}`);
  const isClean = problems.length + removal.problems.length === 0;
  kept.push({ holder, key, journal, streamer: { found, refusal, ownAlerts, ownSettings, ownObjects, ownDonations }, isClean });
}

/** Throws NotMeasurable where somebody has changed settings since the interrupted run, which putting back would overwrite. */
async function expectOwnSettings(key: string, found: AlertState, { holder, journal }: Pick<Kept, "holder" | "journal">): Promise<void> {
  const present = await readAlertState(key).catch(() => null);
  const changes = present ? foreignChanges(journal, found.settings, present.settings) : [];
  if (changes.length === 0) return;
  throw new NotMeasurable(
    `settings have been changed since a run that started at ${journal.left?.startedAt} was interrupted (${holder}), and are not overwritten: ${changes.map(explainForeignChange).join("; ")}. Set all of them as they shall be (the file has what the run found), then delete ${journal.file} and run again`,
  );
}

/** What a run with --read-only says about an interrupted one: it puts nothing back. */
async function warnOfLeft(holder: ProtectedHolder, target: Target, { stateFolder }: Options): Promise<string[]> {
  const key = target.keys[holder];
  const left = key === null ? null : findLeft(stateFolder, { server: target.url, streamer: await streamerOf(key) });
  if (!left) return [];
  const { entry, objects, file } = left;
  const tasks = [
    ...(entry.found ? ["settings, pause and queue are still to be put back"] : []),
    ...(objects.existing.length > 0 ? ["webhooks or alert files that it created are still to be deleted"] : []),
  ];
  return [
    `WARNING: a run that started at ${entry.startedAt} was interrupted (${holder}): ${tasks.join(", and ")}, which a run without --read-only does (${file})`,
  ];
}

const explainLeft = ({ startedAt }: Entry, holder: ProtectedHolder, problems: readonly string[]): string =>
  problems.length === 0
    ? `a run that started at ${startedAt} was interrupted (${holder}): settings, pause and queue are put back as it found them`
    : `a run that started at ${startedAt} was interrupted (${holder}), and this cannot be put back: ${problems.join("; ")}`;

const explainVoided = ({ voided, left, why }: Voided, whose: string): string[] => [
  ...(voided > 0 ? [`${plural(voided, "donation")} ${whose} ${voided === 1 ? "is" : "are"} void now, with the reason test`] : []),
  ...(left.length > 0
    ? [
        `${plural(left.length, "donation")} ${whose} ${left.length === 1 ? "stays" : "stay"} on the server: ${why ?? "there was no time to void more"}. Together: ${sumOf(left)}`,
      ]
    : []),
];

/** What donations add to reports, such as "1,234.5 THB, from 2026-10-02 to 2026-10-30". */
function sumOf(donations: readonly OwnDonation[]): string {
  const sum = donations.reduce((total, { amount }) => total + amount, 0).toLocaleString("en", { maximumFractionDigits: 2 });
  const days = donations.map(({ createdAt }) => createdAt.slice(0, 10)).sort();
  return `${sum} THB, from ${days[0]} to ${days.at(-1)}`;
}

/** What is said of webhooks and alert files that an interrupted run has created. */
const explainRemoval = ({ deleted, problems, unseen }: Removal, holder: ProtectedHolder): string[] => [
  ...(deleted.length > 0 ? [`what an interrupted run had created is deleted (${holder}): ${deleted.join(", ")}`] : []),
  ...problems.map((problem) => `WARNING: of an interrupted run (${holder}): ${problem}`),
  ...unseen.map((words) => `WARNING: of an interrupted run (${holder}): ${words}`),
];

/** The streamer of the key, as the server names it; a digest of the key where it has no such operation. */
async function streamerOf(key: string): Promise<string> {
  const { status, body } = await ask({ path: "/api/v1/me", key });
  const { data } = (body ?? {}) as { data?: { streamer?: { id?: unknown } } };
  const id = data?.streamer?.id;
  return status === 200 && typeof id === "string" ? id : digestOfKey(key);
}

async function look(
  key: string,
  ownAlerts: string,
  { mayDisturbAlerts }: Options,
): Promise<{ found: AlertState | null; refusal: string | null }> {
  try {
    const found = await readAlertState(key);
    const { others, connected } = await viewQueue(key, { ownAlerts });
    if (mayDisturbAlerts) return { found, refusal: null };
    const page = connected ? "an overlay is connected, which would show the suite's alerts (--may-disturb-alerts)" : null;
    return { found, refusal: others > 0 ? othersWaiting(others) : page };
  } catch (error) {
    if (!(error instanceof AlertStateError)) throw error;
    return { found: null, refusal: `the present state cannot be read and so not be put back: ${error.message}` };
  }
}

async function restoreAll(kept: readonly Kept[]): Promise<Restored> {
  const failures: string[] = [];
  const notes: string[] = [];
  for (const { holder, key, journal, streamer } of kept) {
    // First, because it ends the alerts of these donations that wait.
    notes.push(...explainVoided(await voidRecorded(streamer.ownDonations, key), `of this run (${holder})`));
    const problems = streamer.found ? await restore(key, streamer.found, streamer) : [];
    const removal = await removeObjects(streamer.ownObjects);
    problems.push(...removal.problems);
    notes.push(...removal.unseen.map((words) => `WARNING (${holder}): ${words}`));
    if (problems.length === 0) journal.remove();
    else
      failures.push(
        `not put back on the server (${holder}): ${problems.join("; ")}. The next run against it tries again (${journal.file})`,
      );
  }
  return { failures, notes };
}

type Own = Pick<ProtectedStreamer, "ownAlerts" | "ownSettings">;

const restore = (key: string, found: AlertState, own: Own): Promise<string[]> =>
  restoreAlertState(key, found, own).catch((error: unknown) => [error instanceof Error ? error.message : String(error)]);
