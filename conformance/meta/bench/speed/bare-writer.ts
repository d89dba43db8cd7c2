// A server of Koa, koa-bodyparser and our writer only: no credentials, no contract, no limits, no log. It is never deployed; `make bench` compares
// the whole server with it, to measure what the other parts cost.
//   PORT=4300 node conformance/meta/bench/speed/bare-writer.ts HANDLE     records for this streamer and prints a line once it listens

import { createServer } from "node:http";
import Koa from "koa";
import bodyParser from "koa-bodyparser";
import { ensureApplication } from "../../../../src/auth/api-keys.ts";
import { readConfig } from "../../../../src/config.ts";
import { openDatabase } from "../../../../src/db/database.ts";
import { pools } from "../../../../src/db/pools.ts";
import { type DonationInput, newDonation, toRecord } from "../../../../src/donations/donation.ts";
import { makeWriter } from "../../../../src/donations/record/writer.ts";
import { streamerStore } from "../../../../src/donations/streamers.ts";
import { makeLog } from "../../../../src/telemetry/log.ts";

const [handle = ""] = process.argv.slice(2);
const config = readConfig(process.env);
const log = makeLog("warn");
const database = await openDatabase({ ...config, log });
const { id: streamerId } = await streamerStore(database.knex).require(handle);
const applicationId = await ensureApplication(database.knex, streamerId, "bare writer");
const writer = makeWriter({ pool: database.pool(pools.writer), log });

const koa = new Koa();
koa.use(bodyParser()).use(async (ctx) => {
  const input = { currency: "THB", message: "", skipAlert: false, ...(ctx.request.body as object) } as DonationInput;
  const { donation } = await writer.record(newDonation(input, { streamerId, applicationId }, { source: "external", channel: "external" }));
  ctx.status = 201;
  ctx.body = { data: toRecord(donation, applicationId) };
});

createServer(koa.callback()).listen(config.port, config.host, () => console.log("listening"));
process.on("SIGTERM", async () => {
  await writer.drain();
  await database.close();
  process.exit(0);
});
