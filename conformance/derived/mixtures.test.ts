import { describe, test } from "vitest";
import { keyFor } from "../harness/derive/credentials.ts";
import { hintsFor } from "../harness/derive/hints.ts";
import { fieldsOf, type Inputs, inputsOf } from "../harness/derive/inputs.ts";
import { mixtures } from "../harness/derive/mixtures.ts";
import { excluded, tryCase } from "../harness/derive/rule.ts";
import { undisturbed } from "../harness/derive/undisturbed.ts";
import { holds } from "../harness/generators/holds.ts";
import { operations } from "../harness/oracle/contract.ts";
import { target } from "../harness/server/target.ts";

// What the other files try one by one, together: values that are right alone are right beside any other.

const rules = [
  { title: "any right values together are taken", wrong: { min: 0, max: 0 } },
  { title: "one wrong value among any right ones is refused and named", wrong: { min: 1, max: 1 } },
  { title: "of several wrong values all are named, not only the first", wrong: { min: 2, max: 8 } },
];

/** As many parameters and members of the body as can be wrong by themselves. */
const breakable = (inputs: Inputs): number =>
  fieldsOf(inputs).filter(({ in: where, path }) => (where === "query" && path.length === 0) || (where === "body" && path.length === 1))
    .length;

const concerned = operations.filter((one) => !(one.id in excluded)).map((operation) => ({ id: operation.id, operation }));

describe.each(rules)("$title", ({ wrong }) => {
  test.for(concerned.filter(({ operation }) => breakable(inputsOf(operation)) >= Math.max(1, wrong.min)))(
    "$id",
    async ({ operation }, context) => {
      const key = keyFor(context, operation);
      const inputs = inputsOf(operation);
      const base = { seed: target().seed, hints: await hintsFor(context, operation) };
      const some = mixtures(inputs, base, wrong);
      await undisturbed(inputs, key, () => holds(some, (one) => tryCase(inputs, one, key), { runs: 40 }));
    },
  );
});
