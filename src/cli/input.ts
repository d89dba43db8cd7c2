// Command-line input, held to the same contract as a request body.

import { parseArgs } from "node:util";
import type { DonationInput } from "../donations/donation.ts";
import { loadContract } from "../http/contract.ts";
import { bodyFaults } from "../http/faults.ts";
import type { Scope } from "../http/operations.ts";
import type { Command, Input } from "./command.ts";

/** Reads the arguments behind a command's name. Throws an Error that says how the command is called. */
export function readInput({ usage, options = {}, positionals = [] }: Command, args: string[]): Input {
  const known = Object.entries(options).map(([name, kind]) => [
    name,
    { type: kind === "switch" ? "boolean" : "string", multiple: kind === "many" },
  ]);
  const parsed = parseArgs({ args, options: Object.fromEntries(known), allowPositionals: true });
  if (parsed.positionals.length !== positionals.length) throw new Error(`usage: npm run --silent cli -- ${usage}`);
  const values: Record<string, unknown> = parsed.values;
  const all = (option: string) => [values[option] ?? []].flat().map(String);
  const get = (option: string) => all(option)[0];
  const given = (option: string, value: string | undefined) => (value === "" ? missing(option) : value);
  const missing = (option: string): never => {
    throw new Error(`--${option} is missing; usage: npm run --silent cli -- ${usage}`);
  };
  return {
    get: (option) => given(option, get(option)),
    all,
    has: (option) => values[option] === true,
    require: (option) => get(option) || missing(option),
    positional: (name) => parsed.positionals[positionals.indexOf(name)] as string,
  };
}

/** Space-separated scopes. Throws an Error that names an unknown one. */
export async function checkScopes(text: string): Promise<Scope[]> {
  const { scopes } = await loadContract();
  const named = text.split(/\s+/).filter(Boolean);
  if (named.length === 0) throw new Error(`--scopes must name at least one of ${scopes.join(", ")}`);
  return [...new Set(named.map((scope) => checkEnum("scopes", scope, scopes)))];
}

/** One of the allowed words. */
export function checkEnum<Word extends string>(option: string, text: string, allowed: readonly Word[]): Word {
  const word = allowed.find((known) => known === text);
  if (!word) throw new Error(`--${option} must be one of ${allowed.join(", ")}, not "${text}"`);
  return word;
}

export function checkDateTime(option: string, text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new Error(`--${option} must be a date-time such as 2027-01-01T00:00:00Z, not "${text}"`);
  return date;
}

/** Options of `donations add` as a donation, checked by createDonation's own schema. Throws an Error that names every broken rule. */
export async function checkDonation({ get, require, has }: Input): Promise<DonationInput> {
  const amount = /^[0-9.]+(?:[eE][+-]?[0-9]+)?$/.test(require("amount")) ? Number(get("amount")) : Number.NaN;
  if (Number.isNaN(amount)) throw new Error(`--amount must be a number, not "${get("amount")}"`);
  const optional = { message: get("message"), identifier: get("identifier"), createdAt: get("created-at") };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  const wrapped = { requestBody: { donatorName: get("name") ?? "ทดสอบ", amount, skipAlert: has("skip-alert"), ...given } };
  const contract = await loadContract();
  const operation = contract.operations.find(({ id }) => id === "createDonation");
  const faults = bodyFaults(operation?.checkBody(wrapped) ?? []);
  if (faults.length > 0) throw new Error(faults.map(({ pointer, message }) => `${pointer?.slice(1)} ${message}`).join("; "));
  return wrapped.requestBody as DonationInput;
}
