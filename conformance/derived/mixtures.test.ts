import { describe, test } from "vitest";
import { holds } from "../suite/client/holds.ts";
import { operations } from "../suite/contract/contract.ts";
import { fieldsOf, type Inputs, inputsOf } from "../suite/contract/inputs.ts";
import { keyFor } from "../suite/models/derive/credentials.ts";
import { hintsFor } from "../suite/models/derive/hints.ts";
import { mixtures } from "../suite/models/derive/mixtures.ts";
import { excludedOperations, restoringState, tryCase } from "../suite/models/derive/rule.ts";
import { target } from "../suite/values/target.ts";

// Combines the values that other files try one by one: a valid value stays valid beside any other.

const rules = [
  { title: "any valid values together are accepted", wrong: { min: 0, max: 0 } },
  { title: "one invalid value among any valid ones is refused and named", wrong: { min: 1, max: 1 } },
  { title: "several invalid values are all named, not only the first", wrong: { min: 2, max: 8 } },
];

/** As many parameters and members of the body as can be wrong by themselves. */
const breakable = (inputs: Inputs): number =>
  fieldsOf(inputs).filter(({ in: where, path }) => (where === "query" && path.length === 0) || (where === "body" && path.length === 1))
    .length;

const concerned = operations.filter((one) => !(one.id in excludedOperations)).map((operation) => ({ id: operation.id, operation }));

describe.each(rules)("$title", ({ title, wrong }) => {
  test.for(concerned.filter(({ operation }) => breakable(inputsOf(operation)) >= Math.max(1, wrong.min)))(
    `$id: ${title}`,
    async ({ operation }, context) => {
      const key = keyFor(context, operation);
      const inputs = inputsOf(operation);
      const base = { seed: target().seed, hints: await hintsFor(context, operation) };
      const some = mixtures(inputs, base, wrong);
      await restoringState(inputs, key, () => holds(some, (one) => tryCase(inputs, one, key), { runs: 40 }));
    },
  );
});
