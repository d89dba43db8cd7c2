// The options of `donations add` that make a donation, held to the same contract as a request body.

import type { DonationInput } from "../donations/donation.ts";
import { loadContract } from "../http/contract.ts";
import { bodyFaults } from "../http/faults.ts";
import type { Schemas } from "../http/operations.ts";
import type { Command, Input } from "./command.ts";

type Asked = Schemas["ExternalDonation"];

type Option<Value> = Readonly<{
  name: string;
  /** What stands behind it in the usage line; none: it is a switch. */
  shown?: string;
  required?: true;
  /** Undefined: left out. */
  read: (input: Input) => Value;
}>;

const text = (name: string, shown: string) => ({ name, shown, read: ({ get }: Input) => get(name) });

/** How each member of a donation is given. A member of the contract without an option, or a reason why it has none, does not compile. */
const options: { readonly [Member in keyof Asked]-?: Option<Asked[Member]> | string } = {
  amount: { name: "amount", shown: "N", required: true, read: readAmount },
  donatorName: { name: "name", shown: "NAME", read: ({ get }) => get("name") ?? "ทดสอบ" },
  message: text("message", "TEXT"),
  identifier: text("identifier", "TEXT"),
  createdAt: text("created-at", "DATE-TIME"),
  skipAlert: { name: "skip-alert", read: ({ has }) => has("skip-alert") },
  currency: "its default is the only one",
  idempotencyKey: "nothing repeats a command by itself",
};

const given = Object.entries(options).flatMap(([member, option]) => (typeof option === "string" ? [] : [{ member, ...option }]));

/** As the command line reads them. */
export const donationOptions: NonNullable<Command["options"]> = Object.fromEntries(
  given.map(({ name, shown }) => [name, shown === undefined ? "switch" : "once"]),
);

/** As the usage line shows them. */
export const donationUsage = given
  .map(({ name, shown, required }) => [`--${name}${shown === undefined ? "" : ` ${shown}`}`, required] as const)
  .map(([option, required]) => (required ? option : `[${option}]`))
  .join(" ");

/** The donation that the options make, checked by createDonation's own schema. Throws an Error that names every broken rule. */
export async function readDonation(input: Input): Promise<DonationInput> {
  const members = given.map(({ member, read }) => [member, read(input)] as const).filter(([, value]) => value !== undefined);
  const wrapped = { requestBody: Object.fromEntries(members) };
  const contract = await loadContract();
  const operation = contract.operations.find(({ id }) => id === "createDonation");
  const faults = bodyFaults(operation?.checkBody(wrapped) ?? []);
  if (faults.length > 0) throw new Error(faults.map(({ pointer, message }) => `${pointer?.slice(1)} ${message}`).join("; "));
  return wrapped.requestBody as unknown as DonationInput;
}

function readAmount({ require }: Input): number {
  const written = require("amount");
  const amount = /^[0-9.]+(?:[eE][+-]?[0-9]+)?$/.test(written) ? Number(written) : Number.NaN;
  if (Number.isNaN(amount)) throw new Error(`--amount must be a number, not "${written}"`);
  return amount;
}
