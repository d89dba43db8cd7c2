// The command that records a native or test donation.

import { streamerStore } from "../account/streamers.ts";
import { ensureApplication } from "../auth/api-keys.ts";
import { pools } from "../db/pools.ts";
import { type Channel, newDonation, type Source, toRecord } from "../donations/donation.ts";
import { makeWriter } from "../donations/writer.ts";
import { makeLog } from "../telemetry/log.ts";
import type { Command, CommandDeps, Input } from "./command.ts";
import { donationOptions, donationUsage, readDonation } from "./donation-options.ts";
import { checkEnum } from "./input.ts";

const channels: readonly Channel[] = ["promptpay", "truemoney", "bank_transfer", "card", "other"];

export const donationCommands: Command[] = [
  {
    usage: `donations add --streamer HANDLE --source native|test [--channel CHANNEL] ${donationUsage}`,
    options: { streamer: "once", source: "once", channel: "once", ...donationOptions },
    run: addDonation,
  },
];

/** Records a native or test donation with the same writer as the API. */
async function addDonation({ database, knex }: CommandDeps, input: Input): Promise<unknown> {
  const streamer = await streamerStore(knex).require(input.require("streamer"));
  const source = checkEnum<Source>("source", input.require("source"), ["native", "test"]);
  const channel = checkEnum<Channel>("channel", input.get("channel") ?? "other", channels);
  const donation = await readDonation(input);
  const applicationId = await ensureApplication(knex, streamer.id, "platform");
  const writer = makeWriter({ pool: database.pool(pools.writer), log: makeLog("warn") });
  const recorded = await writer.record(newDonation(donation, { streamerId: streamer.id, applicationId }, { source, channel }));
  return toRecord(recorded.donation, applicationId);
}
