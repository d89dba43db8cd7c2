// `make demo`: a believable year of donations for the demo streamer, recorded like any other, for people who look and for trials.

import { parseArgs } from "node:util";
import { streamerStore } from "../account/streamers.ts";
import { ensureApplication } from "../auth/api-keys.ts";
import { readConfig } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { pools } from "../db/pools.ts";
import { newDonation } from "../donations/donation.ts";
import { makeWriter } from "../donations/writer.ts";
import { summedIn } from "../http/summed-currency.ts";
import { makeLog } from "../telemetry/log.ts";
import { type Imagined, imagineYear } from "./imagined-year.ts";
import { demoHandle, prepareDemo } from "./prepare-demo.ts";

const application = "demo year";
const atOnce = 512;

type Options = { seed: number; again: boolean };
type By = { streamerId: string; platform: string; demo: string };

/** Records the year and returns what to print. Refuses where there is one already, unless told. */
async function fillYear(database: Database, { seed, again }: Options): Promise<string> {
  const { knex } = database;
  const { id: streamerId } = await streamerStore(knex).require(demoHandle);
  const by = {
    streamerId,
    platform: await ensureApplication(knex, streamerId, "platform"),
    demo: await ensureApplication(knex, streamerId, application),
  };
  const filled = await yearsOf(knex, by);
  if (filled > 0 && !again) throw new Error("the demo streamer has a year of donations already; make demo AGAIN=1 adds another");
  const year = imagineYear(seed + filled, Date.now());
  await recordAll(database, by, year, `year-${filled + 1}`);
  const total = year.reduce((sum, { amount }) => sum + amount, 0);
  return `Recorded ${year.length.toLocaleString("en-US")} donations, ${Math.round(total).toLocaleString("en-US")} ${summedIn} in all, from ${year[0]?.createdAt} on.`;
}

/** How many years there are: their number stands in their idempotency keys. */
async function yearsOf(knex: Database["knex"], { streamerId, demo }: By): Promise<number> {
  const { rows } = await knex.raw<{ rows: { years: number }[] }>(
    `select coalesce(max(split_part(idempotency_key, '-', 2)::int), 0) as years from donations
     where streamer_id = ? and application_id = ? and idempotency_key is not null`,
    [streamerId, demo],
  );
  return rows[0]?.years ?? 0;
}

async function recordAll(database: Database, by: By, year: readonly Imagined[], prefix: string): Promise<void> {
  const writer = makeWriter({ pool: database.pool(pools.writer), log: makeLog("warn") });
  for (let first = 0; first < year.length; first += atOnce) {
    const recorded = await Promise.all(
      year.slice(first, first + atOnce).map(({ source, channel, ...input }, index) => {
        const applicationId = source === "external" ? by.demo : by.platform;
        const principal = { streamerId: by.streamerId, applicationId };
        const idempotencyKey = source === "external" ? `${prefix}-${first + index}` : undefined;
        return writer.record(newDonation({ ...input, idempotencyKey }, principal, { source, channel }));
      }),
    );
    await markShown(
      database,
      by.streamerId,
      recorded.map(({ donation }) => donation.id),
    );
  }
}

/**
 * Their alerts were shown in their time: an overlay that connects now must not play a whole year. One that is connected already may
 * have taken a few; those it plays.
 */
async function markShown({ knex }: Database, streamerId: string, ids: string[]): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx("overlays").where("streamer_id", streamerId).forUpdate();
    await trx.raw(
      `update alerts a set status = 'shown', shown_at = d.created_at + interval '8 seconds'
     from donations d where a.streamer_id = ? and a.donation_id = any(?) and a.status = 'queued'
       and d.streamer_id = a.streamer_id and d.id = a.donation_id
       and not exists (select from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id)`,
      [streamerId, ids] as never,
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
  const database = await openDatabase({ databaseUrl: config.databaseUrl ?? undefined, dataDir: config.dataDir, log: makeLog("warn") });
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
