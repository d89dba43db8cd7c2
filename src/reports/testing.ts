// Creates streamers for tests, and records donations of a model case with the statement of the program.

import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { streamerStore } from "../account/streamers.ts";
import { makeVoider } from "../app/make-voider.ts";
import { insertBatch } from "../donations/batch.ts";
import type { NewDonation } from "../donations/donation.ts";
import { someDonation } from "../donations/testing.ts";
import type { Voider } from "../donations/void/void-donations.ts";
import type { ModelDonation } from "./model.ts";
import type { Draft, Step } from "./model-cases.ts";
import { foldNext } from "./rollup.ts";

export const application = uuidv7();

/** Reads the seed and the path in SEED, "123" or "123:4:0"; a random seed when it is unset. */
export function readSeed(text: string | undefined): { seed: number; path: string | undefined } {
  const [first, ...rest] = text ? text.split(":") : [];
  return { seed: Number(first ?? Math.floor(Math.random() * 2 ** 31)), path: rest.length > 0 ? rest.join(":") : undefined };
}

export async function newStreamer(knex: Knex): Promise<string> {
  return (await streamerStore(knex).create(`s${uuidv7().replaceAll("-", "")}`)).id;
}

export function newDonation(streamerId: string, { when, amount, donator, origin, skipAlert }: Draft): NewDonation {
  const { name: donatorName, identifier } = donator;
  const what = { applicationId: application, donatorName, identifier, amount, createdAt: when, createdOffset: 0, skipAlert };
  return someDonation(streamerId, { ...what, ...origin });
}

/** Voids as the program does, and tells no overlay. */
export function voiderOf(knex: Knex): Voider {
  return makeVoider(knex, () => {});
}

/**
 * Executes the steps: records donations with the recording statement, and folds and voids between them. Resolves to the donations that count
 * afterwards; `before` are those of earlier steps.
 */
export async function executeSteps(knex: Knex, streamer: string, steps: Step[], before: readonly ModelDonation[] = []) {
  let donations: ModelDonation[] = [...before];
  for (const batch of batches(steps)) {
    if ("fold" in batch) {
      await foldNext(knex, streamer, batch.fold);
      continue;
    }
    if ("void" in batch) {
      const ids = batch.void.flatMap((chosen) => donations[chosen % donations.length]?.id ?? []);
      await voiderOf(knex).void(streamer, ids, { reason: "mistake", note: null });
      donations = donations.filter(({ id }) => !ids.includes(id));
      continue;
    }
    const news = batch.map((draft) => newDonation(streamer, draft));
    const rows = await insertBatch(knex, news, false);
    for (const [index, { when, amount, donator, origin }] of batch.entries()) {
      const { id, donatorKey: who } = news[index]!;
      const sequence = rows.find((row) => row.id === id)!.sequence!;
      donations.push({ sequence, id, ...donator, who, amount, ...origin, createdAt: when });
    }
  }
  return donations;
}

type Batch = Draft[] | { fold: number } | { void: number[] };

/** Steps of one kind that follow each other are one batch. */
function batches(steps: Step[]): Batch[] {
  const all: Batch[] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if ("fold" in step) all.push(step);
    else if ("void" in step) last && "void" in last ? last.void.push(step.void) : all.push({ void: [step.void] });
    else if (Array.isArray(last)) last.push(step.donation);
    else all.push([step.donation]);
  }
  return all;
}
