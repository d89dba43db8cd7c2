// The commands that record a native or test donation, and void a donation.

import { ensureApplication } from "../auth/api-keys.ts";
import { makeVoider } from "../corrections/void-donations.ts";
import { pools } from "../db/pools.ts";
import { type Channel, type DonationInput, newDonation, type Source, toRecord, type VoidReason } from "../donations/donation.ts";
import { makeWriter } from "../donations/record/writer.ts";
import { streamerStore } from "../donations/streamers.ts";
import { enumOf, isId, maxLengthOf } from "../http/contract/published.ts";
import type { Schemas } from "../http/operations.ts";
import { makeLog } from "../telemetry/log.ts";
import { type Command, type CommandDeps, checkEnum, type Input } from "./command.ts";

const reasons = enumOf("VoidReason");
/** `external` donations come through the API. */
const channels = enumOf("Channel").filter((channel) => channel !== "external");

type ExternalDonation = Schemas["ExternalDonation"];

type Option<Value> = Readonly<{
  name: string;
  /** The placeholder of its value in the usage line; undefined for a switch. */
  placeholder?: string;
  required?: true;
  /** Undefined when the option is left out. */
  read: (input: Input) => Value;
}>;

const text = (name: string, placeholder: string) => ({ name, placeholder, read: ({ get }: Input) => get(name) });

/** The option of each member of a donation. A member of the contract without an option, or a reason why it has none, does not compile. */
const options: { readonly [Member in keyof ExternalDonation]-?: Option<ExternalDonation[Member]> | string } = {
  amount: { name: "amount", placeholder: "N", required: true, read: readAmount },
  donatorName: { name: "name", placeholder: "NAME", read: ({ get }) => get("name") ?? "ทดสอบ" },
  message: text("message", "TEXT"),
  identifier: text("identifier", "TEXT"),
  createdAt: text("created-at", "DATE-TIME"),
  skipAlert: { name: "skip-alert", read: ({ has }) => has("skip-alert") },
  currency: "its default is the only one",
  idempotencyKey: "no program repeats a command by itself",
};

const memberOptions = Object.entries(options).flatMap(([member, option]) => (typeof option === "string" ? [] : [{ member, ...option }]));

/** The options in the form of `Command`. */
const donationOptions: NonNullable<Command["options"]> = Object.fromEntries(
  memberOptions.map(({ name, placeholder }) => [name, placeholder === undefined ? "switch" : "once"]),
);

/** The options in the form of the usage line. */
const donationUsage = memberOptions
  .map(({ name, placeholder, required }) => [`--${name}${placeholder === undefined ? "" : ` ${placeholder}`}`, required] as const)
  .map(([option, required]) => (required ? option : `[${option}]`))
  .join(" ");

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

/** Reads a donation from the options and checks it by the schema of createDonation. Throws an Error that names every broken rule. */
export async function readDonation(input: Input): Promise<DonationInput> {
  const members = memberOptions.map(({ member, read }) => [member, read(input)] as const).filter(([, value]) => value !== undefined);
  const wrapped = { requestBody: Object.fromEntries(members) };
  // Imported here: the contract's validators are half of the processor time of a command, and no other command needs them.
  const [{ loadContract, operationOf }, { bodyFaults }] = await Promise.all([
    import("../http/contract/contract.ts"),
    import("../http/contract/faults.ts"),
  ]);
  const operation = operationOf(await loadContract(), "createDonation");
  const faults = bodyFaults(operation.checkBody(wrapped) ?? []);
  if (faults.length > 0) throw new Error(faults.map(({ pointer, message }) => `${pointer?.slice(1)} ${message}`).join("; "));
  return wrapped.requestBody as unknown as DonationInput;
}

function readAmount({ require }: Input): number {
  const text = require("amount");
  const amount = /^[0-9.]+(?:[eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(amount)) throw new Error(`--amount must be a number, not "${text}"`);
  return amount;
}
