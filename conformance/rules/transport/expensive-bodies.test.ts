import { expect, test } from "vitest";

import { problemOf } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { operations } from "../../suite/contract/contract.ts";

// A body of 64 KiB that breaks the contract in thousands of places must not cost the server thousands of faults. The server's own tests
// check that its validator stops early; these rules check that the answer is bounded.

const size = 65_000;
const mostFaults = 100;

const repeated = (item: string): string => Array.from({ length: Math.floor(size / (item.length + 1)) }, () => item).join(",");
const members = Array.from({ length: 6_000 }, (_, index) => `"x${index}":1`).join(",");
const bodies = {
  "32,000 numbers in an array of text": `{"blockedWords":[${repeated("1")}]}`,
  "20,000 objects in an array of text": `{"blockedWords":[${repeated("{}")}]}`,
  "6,000 unknown members": `{${members}}`,
  "6,000 unknown members of a member": `{"goal":{${members}}}`,
};

const cases = ["updateAlertSettings", "createDonation"].flatMap((id) => Object.entries(bodies).map(([name, body]) => ({ id, name, body })));

test.each(cases)("$id refuses a body with $name and names at most 100 faults", async ({ id, body }) => {
  const operation = operations.find((one) => one.id === id);
  const { path = "", method = "" } = operation ?? {};
  const problem = problemOf(await send({ path, method, headers: { "Content-Type": "application/json" }, body }));
  expect(problem.code).toBe("validation_failed");
  expect(problem.errors?.length).toBeGreaterThan(0);
  expect(problem.errors?.length).toBeLessThanOrEqual(mostFaults);
});
