import { nextUp } from "../../harness/generators/doubles.ts";
import { maxAmount } from "../../harness/oracle/interface.ts";
import { inSchema } from "../contract-edit.ts";
import { answering, json } from "../meddlers.ts";
import type { Mutants } from "../mutant.ts";

const donation = "src/donations/donation.ts";

export const numbers: Mutants = {
  "amount-0": {
    broken: "an amount of 0 is taken",
    edit: inSchema("amount", '"exclusiveMinimum": 0', '"minimum": 0'),
    killedBy: [["interface/amount", /0 is refused, the next double/]],
  },
  "amount-below-a-million": {
    broken: "the largest amount is too much",
    edit: inSchema("amount", `"maximum": ${maxAmount}`, `"exclusiveMaximum": ${maxAmount}`),
    killedBy: [["interface/amount", /is accepted, the next double above it refused/]],
  },
  "amount-double-above": {
    broken: "the next double above the largest amount is taken",
    edit: inSchema("amount", `"maximum": ${maxAmount}`, `"maximum": ${nextUp(maxAmount)}`),
    killedBy: [["interface/amount", /is accepted, the next double above it refused/]],
  },
  "amount-float32": {
    broken: "amounts are kept with 24 bits",
    edit: { file: donation, from: "amount: input.amount,", to: "amount: Math.fround(input.amount) || input.amount," },
    killedBy: [["donations/create-donation", /answered as the same double/]],
  },
  "amount-satang": {
    broken: "amounts are rounded to satang",
    edit: { file: donation, from: "amount: input.amount,", to: "amount: Math.round(input.amount * 100) / 100 || input.amount," },
    killedBy: [["donations/create-donation", /answered as the same double/]],
  },
  "amount-text": {
    broken: "amounts are answered as texts",
    meddler: answering((answer) => json(answer, quoteAmount)),
    killedBy: [["donations/round-trip", /what was posted is what is answered/]],
  },
  coercion: {
    broken: 'values are made to fit: "5" is a number, 1 is true',
    edit: { file: "src/http/contract.ts", from: "coerceTypes: false", to: "coerceTypes: true" },
    killedBy: [
      ["interface/types", /amount/],
      ["derived/types", /createDonation/],
    ],
  },
  "query-numbers": {
    broken: "numbers of a query may be written in any way that JavaScript knows",
    edit: {
      file: "src/http/parameters.ts",
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
