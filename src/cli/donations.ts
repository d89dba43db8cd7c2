// The commands that record a native or test donation, and void a donation.

import { ensureApplication } from "../auth/api-keys.ts";
import { makeVoider } from "../corrections/void-donations.ts";
import { pools } from "../db/pools.ts";
import { type Channel, newDonation, type Source, toRecord, type VoidReason } from "../donations/donation.ts";
import { makeWriter } from "../donations/record/writer.ts";
import { streamerStore } from "../donations/streamers.ts";
import { enumOf, isId, maxLengthOf } from "../http/contract/published.ts";
import { makeLog } from "../telemetry/log.ts";
import type { Command, CommandDeps, Input } from "./command.ts";
import { donationOptions, donationUsage, readDonation } from "./donation-options.ts";
import { checkEnum } from "./input.ts";

const reasons = enumOf("VoidReason");
/** `external` donations come through the API. */
const channels = enumOf("Channel").filter((channel) => channel !== "external");

export const donationCommands: Command[] = [
  {
    usage: `donations add --streamer HANDLE --source native|test [--channel CHANNEL] ${donationUsage}`,
    options: { streamer: "once", source: "once", channel: "once", ...donationOptions },
    run: addDonation,
  },
  {
    usage: `donations void --streamer HANDLE --reason ${reasons.join("|")} [--note TEXT] DONATION-ID`,
    options: { streamer: "once", reason: "once", note: "once" },
    positionals: ["donation"],
    run: voidDonation,
  },
];

/** Voids a donation as the API does. A running server shows it within a second. Prints the donation. */
async function voidDonation({ database, knex }: CommandDeps, input: Input): Promise<unknown> {
  const streamer = await streamerStore(knex).require(input.require("streamer"));
  const reason = checkEnum<VoidReason>("reason", input.require("reason"), reasons);
  const note = checkNote(input.get("note"));
  const id = input.positional("donation");
  const ids = isId(id) ? [id] : [];
  const voider = makeVoider(database.pool(pools.overlay));
  const [donation] = await voider.void(streamer.id, ids, { reason, note });
  if (!donation) throw new Error(`${streamer.handle} has no donation ${id}`);
  if (donation.voided?.reason !== reason) throw new Error(`the donation was voided before: ${donation.voided?.reason}`);
  return toRecord(donation, donation.applicationId);
}

function checkNote(note: string | undefined): string | null {
  const limit = maxLengthOf("voidNote");
  if (note !== undefined && [...note].length > limit) throw new Error(`--note must have at most ${limit} characters`);
  return note ?? null;
}

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
