// Command-line input, held to the same contract as a request body.

import type { DonationInput } from "./donations/donation.ts";
import { loadContract } from "./http/contract.ts";
import { bodyFaults } from "./http/faults.ts";
import type { Scope } from "./http/operations.ts";

const scopes: readonly Scope[] = ["write:donations", "read:donations", "write:alerts", "read:alerts"];

/** Space-separated scopes. Throws an Error that names an unknown one. */
export function checkScopes(text: string): Scope[] {
  return text
    .split(/\s+/)
    .filter(Boolean)
    .map((scope) => checkEnum("scopes", scope, scopes));
}

/** One of the allowed words. */
export function checkEnum<Word extends string>(option: string, text: string, allowed: readonly Word[]): Word {
  const word = allowed.find((known) => known === text);
  if (!word) throw new Error(`--${option} must be one of ${allowed.join(", ")}, not "${text}"`);
  return word;
}

/** Options of `donations add` as a donation, checked by createDonation's own schema. Throws an Error that names every broken rule. */
export async function checkDonation(options: Record<string, string | undefined>): Promise<DonationInput> {
  const body = {
    donatorName: options.name ?? "ทดสอบ",
    amount: Number(options.amount || Number.NaN),
    ...(options.message !== undefined && { message: options.message }),
    ...(options.identifier !== undefined && { identifier: options.identifier }),
    ...(options["created-at"] !== undefined && { createdAt: options["created-at"] }),
    ...(options["skip-alert"] !== undefined && { skipAlert: options["skip-alert"] === "true" }),
  };
  const contract = await loadContract();
  const operation = contract.operations.find(({ id }) => id === "createDonation");
  const wrapped = { requestBody: body };
  const errors = operation?.checkBody(wrapped) ?? [];
  if (Number.isNaN(body.amount)) throw new Error("--amount must be a number");
  if (errors.length > 0)
    throw new Error(
      bodyFaults(errors)
        .map(({ pointer, message }) => `${pointer?.slice(1)} ${message}`)
        .join("; "),
    );
  return wrapped.requestBody as DonationInput;
}
