// The commands that record a native or test donation, and void a donation.

import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { ensureApplication } from "../auth/api-keys.ts";
import { makeVoider } from "../corrections/void-donations.ts";
import { pools } from "../db/pools.ts";
import { type Channel, type DonationInput, newDonation, type Source, toRecord, type VoidReason } from "../donations/donation.ts";
import { makeWriter } from "../donations/record/writer.ts";
import { streamerStore } from "../donations/streamers.ts";
import { enumOf, isId, maxLengthOf } from "../http/contract/published.ts";
import type { Schemas } from "../http/operations.ts";
import { makeLog } from "../telemetry/log.ts";
import { type AddCommands, type CommandDeps, streamerCommand } from "./command.ts";
import { addImportCommands } from "./imports.ts";

const reasons = enumOf("VoidReason");
/** `external` donations come through the API. */
const channels = enumOf("Channel").filter((channel) => channel !== "external");

type ExternalDonation = Schemas["ExternalDonation"];

/** The option of each member of a donation. A member of the contract without an option, or a reason why it has none, does not compile. */
const options: { readonly [Member in keyof ExternalDonation]-?: Option | string } = {
  amount: new Option("--amount <n>").argParser(readAmount).makeOptionMandatory(),
  donatorName: new Option("--name <name>").default("ทดสอบ"),
  message: new Option("--message <text>"),
  identifier: new Option("--identifier <text>"),
  createdAt: new Option("--created-at <date-time>"),
  skipAlert: new Option("--skip-alert"),
  currency: "its default is the only one",
  idempotencyKey: "no program repeats a command by itself",
};

const memberOptions = Object.entries(options).flatMap(([member, option]) => (typeof option === "string" ? [] : [{ member, option }]));

export const addDonationCommands: AddCommands = (program, does) => {
  const donations = program.command("donations").description("donations that come from elsewhere, and imports");
  const add = streamerCommand(donations, "add", "records a native or test donation")
    .addOption(new Option("--source <source>").choices(["native", "test"] as const).makeOptionMandatory())
    .addOption(new Option("--channel <channel>").choices(channels).default("other" as const));
  for (const { option } of memberOptions) add.addOption(option);
  add.action(does(addDonation));
  streamerCommand(donations, "void <donation-id>", "takes a donation back, as after a refund; it stays, and counts no more")
    .addOption(new Option("--reason <reason>").choices(reasons).makeOptionMandatory())
    .option("--note <text>", "for the operator and the streamer", readNote)
    .action(does(voidDonation));
  addImportCommands(donations, does);
};

type VoidOptions = { streamer: string; reason: VoidReason; note?: string };

/** Voids a donation as the API does. A running server shows it within a second. Prints the donation. */
async function voidDonation(
  { database, knex }: CommandDeps,
  id: string,
  { streamer: handle, reason, note }: VoidOptions,
): Promise<unknown> {
  const streamer = await streamerStore(knex).require(handle);
  const voider = makeVoider(database.pool(pools.overlay));
  const [donation] = await voider.void(streamer.id, isId(id) ? [id] : [], { reason, note: note ?? null });
  if (!donation) throw new Error(`${streamer.handle} has no donation ${id}`);
  if (donation.voided?.reason !== reason) throw new Error(`the donation was voided before: ${donation.voided?.reason}`);
  return toRecord(donation, donation.applicationId);
}

function readNote(note: string): string {
  const limit = maxLengthOf("voidNote");
  if ([...note].length > limit) throw new InvalidArgumentError(`It must have at most ${limit} characters.`);
  return note;
}

/** `typed`: members of the donation by the names of their options. */
type AddOptions = { streamer: string; source: Source; channel: Channel; [typed: string]: unknown };

/** Records a native or test donation with the same writer as the API. */
async function addDonation({ database, knex }: CommandDeps, options: AddOptions): Promise<unknown> {
  const streamer = await streamerStore(knex).require(options.streamer);
  const { source, channel } = options;
  const donation = await readDonation(options);
  const applicationId = await ensureApplication(knex, streamer.id, "platform");
  const writer = makeWriter({ pool: database.pool(pools.writer), log: makeLog("warn") });
  const recorded = await writer.record(newDonation(donation, { streamerId: streamer.id, applicationId }, { source, channel }));
  return toRecord(recorded.donation, applicationId);
}

/** Checks the donation of the options by the schema of createDonation. Throws an Error that names every broken rule. */
async function readDonation(typed: Readonly<Record<string, unknown>>): Promise<DonationInput> {
  const members = memberOptions.map(({ member, option }) => [member, typed[option.attributeName()]] as const);
  const wrapped = { requestBody: Object.fromEntries(members.filter(([, value]) => value !== undefined)) };
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

function readAmount(text: string): number {
  if (!/^[0-9.]+(?:[eE][+-]?[0-9]+)?$/.test(text) || Number.isNaN(Number(text))) throw new InvalidArgumentError("It must be a number.");
  return Number(text);
}
