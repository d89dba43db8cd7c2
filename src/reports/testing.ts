// Creates streamers for tests, and records donations of a model case with the statement of the program.

import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { type Eraser, makeEraser } from "../corrections/eraser.ts";
import { openJournal } from "../corrections/erasure-journal.ts";
import type { Voider } from "../corrections/void-donations.ts";
import { makeVoider } from "../corrections/void-donations.ts";
import type { NewDonation } from "../donations/donation.ts";
import { importStore } from "../donations/import/import-store.ts";
import { insertImported } from "../donations/import/importer.ts";
import { type BatchRow, insertBatch } from "../donations/record/batch.ts";
import { someDonation } from "../donations/testing.ts";
import type { Draft, Step } from "./model/testing-cases.ts";
import type { ModelDonation } from "./model/testing-model.ts";
import { foldNext } from "./roll-ups/rollup.ts";

export const application = uuidv7();

/** Reads the seed and the path in SEED, "123" or "123:4:0"; a random seed when it is unset. */
export function readSeed(text: string | undefined): { seed: number; path: string | undefined } {
  const [first, ...rest] = text ? text.split(":") : [];
  return { seed: Number(first ?? Math.floor(Math.random() * 2 ** 31)), path: rest.length > 0 ? rest.join(":") : undefined };
}

export function newDonation(streamerId: string, { when, amount, donator, origin, skipAlert }: Draft): NewDonation {
  const { name: donatorName, identifier } = donator;
  const what = { applicationId: application, donatorName, identifier, amount, createdAt: when, createdOffset: 0, skipAlert };
  return someDonation(streamerId, { ...what, ...origin });
}

/** Voids as the program does, and tells no overlay. */
export function voiderOf(knex: Knex): Voider {
  return makeVoider(knex);
}

/**
 * Executes the steps: records donations with the recording statement or that of imports, and folds, voids and erases between them. Resolves to
 * the donations that count afterwards; `before` are those of earlier steps.
 */
export async function executeSteps(knex: Knex, streamer: string, steps: Step[], before: readonly ModelDonation[] = []) {
  let donations: readonly ModelDonation[] = before;
  for (const batch of batches(steps)) donations = await execute(knex, streamer, batch, donations);
  return donations;
}

type Batch = { donations: Draft[] } | { imported: Draft[] } | { fold: number } | { void: number[] } | { erase: number };

async function execute(knex: Knex, streamer: string, batch: Batch, donations: readonly ModelDonation[]): Promise<readonly ModelDonation[]> {
  if ("donations" in batch) return [...donations, ...(await record(streamer, batch.donations, (news) => insertBatch(knex, news, false)))];
  if ("imported" in batch) return [...donations, ...(await record(streamer, batch.imported, (news) => importAll(knex, streamer, news)))];
  if ("erase" in batch) return erase(knex, streamer, donations, donations[batch.erase % donations.length]?.who);
  if ("void" in batch) {
    const ids = batch.void.flatMap((chosen) => donations[chosen % donations.length]?.id ?? []);
    await voiderOf(knex).void(streamer, ids, { reason: "mistake", note: null });
    return donations.filter(({ id }) => !ids.includes(id));
  }
  await foldNext(knex, streamer, batch.fold);
  return donations;
}

type Insert = (donations: readonly NewDonation[]) => Promise<BatchRow[]>;

async function record(streamer: string, drafts: readonly Draft[], insert: Insert): Promise<ModelDonation[]> {
  const news = drafts.map((draft) => newDonation(streamer, draft));
  const rows = await insert(news);
  return drafts.map(({ when, amount, donator, origin }, index) => {
    const { id, donatorKey: who } = news[index]!;
    const sequence = rows.find((row) => row.id === id)!.sequence!;
    return { sequence, id, ...donator, who, amount, ...origin, createdAt: when };
  });
}

async function importAll(knex: Knex, streamer: string, donations: readonly NewDonation[]): Promise<BatchRow[]> {
  const importId = uuidv7();
  await importStore(knex).start(streamer, importId);
  return insertImported(knex, importId, donations);
}

/** The donator's donations count on, as those of a donator without a name. A donator who was erased cannot be erased again. */
async function erase(knex: Knex, streamer: string, donations: readonly ModelDonation[], who: string | undefined) {
  if (who === undefined || who.startsWith("e:")) return donations;
  await eraserOf(knex).erase(streamer, [who]);
  const theirs = donations.find((donation) => donation.who === who) as ModelDonation;
  const { donator_key: key } = await knex("donations").where({ streamer_id: streamer, id: theirs.id }).first("donator_key");
  return donations.map((donation) => (donation.who === who ? { ...donation, name: "(erased)", identifier: null, who: key } : donation));
}

/** Erases as the program does, and keeps no journal. */
function eraserOf(knex: Knex): Eraser {
  const journal = { ...openJournal(""), append: async () => {} };
  return makeEraser({ knex, journal, secret: Buffer.from("secret"), announce: () => {} });
}

/** Steps of one kind that follow each other are one batch. */
function batches(steps: Step[]): Batch[] {
  const all: Batch[] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if ("void" in step && last && "void" in last) last.void.push(step.void);
    else if ("donation" in step && last && "donations" in last) last.donations.push(step.donation);
    else if ("imported" in step && last && "imported" in last) last.imported.push(step.imported);
    else if ("void" in step) all.push({ void: [step.void] });
    else if ("donation" in step) all.push({ donations: [step.donation] });
    else if ("imported" in step) all.push({ imported: [step.imported] });
    else all.push(step);
  }
  return all;
}
