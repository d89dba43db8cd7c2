// Mutants of numbers.

import { maxAmount } from "../../../suite/contract/interface.ts";
import { nextUp } from "../../../suite/values/doubles.ts";
import { inSchema } from "../contract-edit.ts";
import { changeAnswer, changeJson } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";

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
  "amount-text": {
    broken: "amounts are answered as strings",
    interceptor: changeAnswer((answer) => changeJson(answer, quoteAmount)),
    killedBy: [["donations/round-trip", /answered and read back as it was posted/]],
  },
};

function quoteAmount(value: unknown): unknown {
  const { data, ...others } = value as { data?: { amount?: number } };
  return data?.amount === undefined ? value : { ...others, data: { ...data, amount: String(data.amount) } };
}
