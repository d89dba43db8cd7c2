import { describe, test } from "vitest";
import { lengthsOf } from "../suite/contract/interface.ts";
import { acceptsUnused, anyCharacters, donationWithEmptyKey, lengthRules } from "../suite/models/length-rules.ts";
import { expectRefused } from "../suite/models/verdicts.ts";
import { expectEdges, lengthEdge } from "../suite/values/score.ts";

// The interface does not state how a server uses the key: no rule here sends one key with two donations.

lengthRules("idempotencyKey", { ...lengthsOf("idempotencyKey"), unique: true });

describe("idempotencyKey", () => {
  test("idempotencyKey of no character is refused (interface 2.1)", async () => {
    await expectRefused(donationWithEmptyKey(), "idempotencyKey", "shortest");
    expectEdges([lengthEdge("idempotencyKey", 0)]);
  });

  test("idempotencyKey of one character is accepted (interface 2.1)", async (context) => {
    await acceptsUnused(context, "idempotencyKey", anyCharacters(5));
    expectEdges([lengthEdge("idempotencyKey", 1)]);
  });
});
