// `make demo`: records a realistic year of donations for the demo streamer.

import { parseArgs } from "node:util";
import { ensureApplication } from "../../auth/api-keys.ts";
import { summedIn } from "../../base/summed-currency.ts";
import { readConfig } from "../../config.ts";
import { type Database, openDatabase } from "../../db/database.ts";
import { migrate } from "../../db/migrator/migrate.ts";
import { pools } from "../../db/pools.ts";
import { newDonation } from "../../donations/donation.ts";
import { makeWriter } from "../../donations/record/writer.ts";
import { streamerStore } from "../../donations/streamers.ts";
import { makeLog } from "../../telemetry/log.ts";
import { type Imagined, imagineYear } from "./imagined-year.ts";
import { demoHandle, prepareDemo } from "./prepare-demo.ts";

const application = "demo year";
/** Donations that are recorded concurrently. */
const maxConcurrent = 512;

type Options = { seed: number; again: boolean };
type DemoApplications = { streamerId: string; platform: string; demo: string };

/** Records the year and returns the text to print. Throws an Error when there is a year already, unless another one is requested. */
async function fillYear(database: Database, { seed, again }: Options): Promise<string> {
  const { knex } = database;
  const { id: streamerId } = await streamerStore(knex).require(demoHandle);
  const applications = {
    streamerId,
    platform: await ensureApplication(knex, streamerId, "platform"),
    demo: await ensureApplication(knex, streamerId, application),
  };
  const filled = await countYears(knex, applications);
  if (filled > 0 && !again) throw new Error("the demo streamer has a year of donations already; make demo AGAIN=1 adds another");
  const year = imagineYear(seed + filled, Date.now());
  await recordYear(database, applications, year, `year-${filled + 1}`);
  const total = year.reduce((sum, { amount }) => sum + amount, 0);
  return `Recorded ${year.length.toLocaleString("en-US")} donations, ${Math.round(total).toLocaleString("en-US")} ${summedIn} in total, from ${year[0]?.createdAt} on.`;
}

/** How many years are recorded: their idempotency keys contain their number. */
async function countYears(knex: Database["knex"], { streamerId, demo }: DemoApplications): Promise<number> {
  const { rows } = await knex.raw<{ rows: { years: number }[] }>(
    `select coalesce(max(split_part(idempotency_key, '-', 2)::int), 0) as years from donations
     where streamer_id = ? and application_id = ? and idempotency_key is not null`,
    [streamerId, demo],
  );
  return rows[0]?.years ?? 0;
}

async function recordYear(database: Database, applications: DemoApplications, year: readonly Imagined[], prefix: string): Promise<void> {
  const writer = makeWriter({ pool: database.pool(pools.writer), log: makeLog("warn") });
  for (let first = 0; first < year.length; first += maxConcurrent) {
    const recorded = await Promise.all(
      year.slice(first, first + maxConcurrent).map(({ source, channel, ...input }, index) => {
        const applicationId = source === "external" ? applications.demo : applications.platform;
        const principal = { streamerId: applications.streamerId, applicationId };
        const idempotencyKey = source === "external" ? `${prefix}-${first + index}` : undefined;
        return writer.record(newDonation({ ...input, idempotencyKey }, principal, { source, channel }));
      }),
    );
    await markShown(
      database,
      applications.streamerId,
      recorded.map(({ donation }) => donation.id),
    );
  }
}

/**
 * Marks the donations' alerts as shown, so that an overlay that connects later does not play a whole year. An overlay that is already connected
 * may have taken some of them, and plays those.
 */
async function markShown({ knex }: Database, streamerId: string, ids: string[]): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx("overlays").where("streamer_id", streamerId).forUpdate();
    await trx.raw(
      `update alerts a set status = 'shown', shown_at = d.created_at + interval '8 seconds'
     from donations d where a.streamer_id = ? and a.donation_id = any(?) and a.status = 'queued'
       and d.streamer_id = a.streamer_id and d.id = a.donation_id
       and not exists (select from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id)`,
      [streamerId, ids],
    );
  });
}

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: { seed: { type: "string", default: "1" }, again: { type: "boolean", default: false } },
  });
  const seed = Number(values.seed);
  if (!Number.isInteger(seed)) throw new Error(`--seed must be a whole number, not "${values.seed}"`);
  const config = readConfig(process.env);
  const database = await openDatabase({ ...config, log: makeLog("warn") });
  try {
    await migrate(database);
    await prepareDemo(config, database);
    console.log(await fillYear(database, { seed, again: values.again }));
  } finally {
    await database.close();
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
