import { expect, test } from "vitest";

import { problemOf } from "../../harness/client/api.ts";
import { type Reply, send } from "../../harness/client/http-client.ts";
import { operations } from "../../harness/oracle/contract.ts";

// A body of 64 KiB that breaks the contract in thousands of places must not keep the server from everybody else's requests: a problem
// names 100 faults, so finding them must not cost much more than reading the body.

const size = 65_000;
const rounds = 9;
const factor = 4;
const allowanceMs = 20; // to parse thousands of members

const repeated = (item: string): string => Array.from({ length: Math.floor(size / (item.length + 1)) }, () => item).join(",");
const members = Array.from({ length: 6_000 }, (_, index) => `"x${index}":1`).join(",");
const plain = `"${"x".repeat(size)}"`; // refused at its root
const bodies = {
  "32,000 numbers in an array of text": `{"blockedWords":[${repeated("1")}]}`,
  "20,000 objects in an array of text": `{"blockedWords":[${repeated("{}")}]}`,
  "6,000 unknown members": `{${members}}`,
  "6,000 unknown members of a member": `{"goal":{${members}}}`,
};

const asked = (id: string, body: string) => {
  const operation = operations.find((one) => one.id === id);
  const { path = "", method = "" } = operation ?? {};
  return send({ path, method, headers: { "Content-Type": "application/json" }, body });
};

/** The fastest of several, in milliseconds: whatever else the machine does makes the others slower. */
async function fastestMs(ask: () => Promise<Reply>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const reply = await ask();
    times.push(performance.now() - began);
    expect(problemOf(reply).code, reply.text).toBe("validation_failed");
  }
  return Math.min(...times);
}

test.each(["updateAlertSettings", "createDonation"])(
  "%s refuses a body with thousands of faults about as fast as one of the same size with a single fault",
  async (id) => {
    const single = await fastestMs(() => asked(id, plain));
    for (const [name, body] of Object.entries(bodies))
      expect(await fastestMs(() => asked(id, body)), name).toBeLessThan(single * factor + allowanceMs);
  },
);
