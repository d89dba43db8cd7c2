// What becomes of each donation of an import. Pure.

import type { BodyLine } from "../../http/body/json.ts";
import type { Contract } from "../../http/contract/contract.ts";
import { bodyFaults } from "../../http/contract/faults.ts";
import type { Principal, Schemas } from "../../http/operations.ts";
import { type Fault, internalError, namedFaults, Problem, problems, typeOf, validationFailed } from "../../http/problem.ts";
import { type DonationInput, external, type NewDonation, newDonation } from "../donation.ts";
import { KeyConflict } from "../record/attempt.ts";
import type { Outcome } from "./importer.ts";

export type ImportOutcome = Schemas["ImportOutcome"];

/** Checks a value by the contract's ImportedDonation, and fills its defaults in: the donation, or every fault. */
export type CheckItem = (value: unknown) => Readonly<{ donation: DonationInput } | { faults: Fault[] }>;

/** The check by the contract. */
export function checkImported(checkerOf: Contract["checkerOf"]): CheckItem {
  const check = checkerOf("ImportedDonation");
  return (value) => {
    const wrapped = { requestBody: value };
    const faults = bodyFaults(check(wrapped) ?? []);
    return faults.length > 0 ? { faults } : { donation: wrapped.requestBody as DonationInput };
  };
}

/** A donation to record, or why it is not one. */
type ValidatedItem = Readonly<{ index: number } & ({ donation: NewDonation } | { problem: Problem; emptyLines?: number })>;

export function validateItems(items: readonly BodyLine[], principal: Principal, checkItem: CheckItem): ValidatedItem[] {
  return items.map((item) => {
    if ("problem" in item) return item;
    const { index, value } = item;
    const checked = checkItem(value);
    if ("faults" in checked) return { index, problem: validationFailed(checked.faults) };
    return { index, donation: newDonation(checked.donation, principal, external) };
  });
}

/** `recorded`: the outcomes of the donations to record, in their order. */
export function toOutcomes(validated: readonly ValidatedItem[], recorded: readonly Outcome[]): ImportOutcome[] {
  const left = recorded[Symbol.iterator]();
  return validated.map((item) => {
    const { index } = item;
    if ("problem" in item) return failed(item, item.problem);
    const outcome = left.next().value as Outcome;
    if (outcome.status === "rejected") return failed(item, outcome.reason);
    const { created, donation } = outcome.value;
    return { index, status: created ? 201 : 200, donationId: donation.id, problem: null };
  });
}

type FailedItem = Readonly<{ index: number; emptyLines?: number }>;

function failed({ index, emptyLines }: FailedItem, reason: unknown): ImportOutcome {
  const failure = reason instanceof Problem || reason instanceof KeyConflict ? reason : internalError();
  const { status, title } = problems[failure.code];
  const problem = {
    type: typeOf(failure.code),
    title,
    status,
    detail: failure.message,
    code: failure.code as NonNullable<ImportOutcome["problem"]>["code"],
    ...(failure instanceof Problem && namedFaults(failure.extras.errors)),
    ...(emptyLines !== undefined && { emptyLines }),
  };
  return { index, status, donationId: null, problem };
}
