import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edge, expectEdges, tried } from "../harness/client/score.ts";
import { type Alphabet, alphabets, textOf } from "../harness/generators/text.ts";
import { judge } from "../harness/oracle/broken-rules.ts";
import { edgesOf, lengthEdge } from "../harness/oracle/edges.ts";
import { lengthsOf } from "../harness/oracle/interface.ts";
import { lengthRules } from "../harness/oracle/length-rules.ts";
import { createAny, donationWith, excerptOf, expectRefused, isAccepted } from "../harness/oracle/verdicts.ts";
import { target } from "../harness/server/target.ts";

// The interface does not state how a server uses the key: no rule here sends one key with two donations.

lengthRules("idempotencyKey", { ...lengthsOf("idempotencyKey"), unique: true });

/** A key of one code point may have been used before and may then be refused: one of several must be accepted. */
async function takesOneOf(keys: string[]): Promise<void> {
  const answers: string[] = [];
  for (const key of keys) {
    tried("idempotencyKey");
    const body = donationWith({ idempotencyKey: JSON.stringify(key) });
    expect(judge(Buffer.from(body))).toEqual({ broken: [], open: [] });
    for (const name of edgesOf(Buffer.from(body))) edge(name);
    const reply = await createAny(body);
    if (isAccepted(reply)) return;
    answers.push(`${JSON.stringify(key)}: ${excerptOf(reply)}`);
  }
  throw new Error(`none of these keys is accepted\n  ${answers.join("\n  ")}`);
}

describe("idempotencyKey", () => {
  test("idempotencyKey of no code point is refused (interface 2.1)", async () => {
    await expectRefused(donationWith({ idempotencyKey: '""' }), "idempotencyKey", "shortest");
    expectEdges([lengthEdge("idempotencyKey", 0)]);
  });

  test.each(alphabets)("idempotencyKey of one code point is accepted (interface 2.1): %s", async (alphabet: Alphabet) => {
    await takesOneOf(fc.sample(textOf(1, alphabet), { seed: target().seed, numRuns: 5 }));
    expectEdges([lengthEdge("idempotencyKey", 1, alphabet)]);
  });
});
