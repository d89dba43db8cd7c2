// The options of `donations add` that describe a donation, checked by the same contract as a request body.

import type { DonationInput } from "../donations/donation.ts";
import type { Schemas } from "../http/operations.ts";
import type { Command, Input } from "./command.ts";

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
export const donationOptions: NonNullable<Command["options"]> = Object.fromEntries(
  memberOptions.map(({ name, placeholder }) => [name, placeholder === undefined ? "switch" : "once"]),
);

/** The options in the form of the usage line. */
export const donationUsage = memberOptions
  .map(({ name, placeholder, required }) => [`--${name}${placeholder === undefined ? "" : ` ${placeholder}`}`, required] as const)
  .map(([option, required]) => (required ? option : `[${option}]`))
  .join(" ");

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
