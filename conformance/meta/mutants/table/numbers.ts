// Mutants of numbers.

import { maxAmount } from "../../../suite/contract/interface.ts";
import { nextUp } from "../../../suite/values/doubles.ts";
import { inSchema } from "../contract-edit.ts";
import { changeAnswer, changeJson } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";

const donation = "src/donations/donation.ts";

export const numbers: Mutants = {
  "amount-0": {
    broken: "an amount of 0 is accepted",
    edit: inSchema("amount", '"exclusiveMinimum": 0', '"minimum": 0'),
    killedBy: [["interface/amount", /0 is refused, the next double/]],
  },
  "amount-below-a-million": {
    broken: "the largest allowed amount is refused",
    edit: inSchema("amount", `"maximum": ${maxAmount}`, `"exclusiveMaximum": ${maxAmount}`),
    killedBy: [["interface/amount", /is accepted, the next double above it refused/]],
  },
  "amount-double-above": {
    broken: "the next double above the largest allowed amount is accepted",
    edit: inSchema("amount", `"maximum": ${maxAmount}`, `"maximum": ${nextUp(maxAmount)}`),
    killedBy: [["interface/amount", /is accepted, the next double above it refused/]],
  },
  "amount-float32": {
    broken: "amounts are stored with 24 bits of precision",
    edit: { file: donation, from: "amount: input.amount,", to: "amount: Math.fround(input.amount) || input.amount," },
    killedBy: [["donations/create-donation", /answered as the same double/]],
  },
  "amount-satang": {
    broken: "amounts are rounded to satang",
    edit: { file: donation, from: "amount: input.amount,", to: "amount: Math.round(input.amount * 100) / 100 || input.amount," },
    killedBy: [["donations/create-donation", /answered as the same double/]],
  },
  "amount-text": {
    broken: "amounts are answered as strings",
    interceptor: changeAnswer((answer) => changeJson(answer, quoteAmount)),
    killedBy: [["donations/round-trip", /answered and read back as it was posted/]],
  },
  coercion: {
    broken: 'values of another type are converted: "5" to a number, 1 to true',
    edit: { file: "src/http/contract/contract.ts", from: "coerceTypes: false", to: "coerceTypes: true" },
    killedBy: [
      ["interface/types", /amount/],
      ["derived/types", /createDonation/],
    ],
  },
  "query-numbers": {
    broken: "a query parameter accepts every notation of a number that JavaScript reads",
    edit: {
      file: "src/http/contract/parameters.ts",
      from: 'if (kind === "integer" && integer.test(text)) return',
      to: 'if (kind === "integer" && text !== "" && Number.isInteger(Number(text))) return',
    },
    killedBy: [["donations/list-parameters", /is refused, and each fault is named/]],
  },
};

function quoteAmount(value: unknown): unknown {
  const { data, ...others } = value as { data?: { amount?: number } };
  return data?.amount === undefined ? value : { ...others, data: { ...data, amount: String(data.amount) } };
}
