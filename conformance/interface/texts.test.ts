// Members that are texts of a bounded length (interface 2.1).

import { describe, test } from "vitest";
import { holds } from "../suite/client/holds.ts";
import { lengthsOf } from "../suite/contract/interface.ts";
import { acceptsUnused, anyCharacters, donationWithEmptyKey, lengthRules } from "../suite/models/length-rules.ts";
import { donationWith, expectAccepted, expectRefused } from "../suite/models/verdicts.ts";
import { expectEdges, lengthEdge } from "../suite/values/score.ts";
import { alphabets, textOf } from "../suite/values/text.ts";

lengthRules("donatorName", lengthsOf("donatorName"));

describe("donatorName", () => {
  test("donatorName of no character is refused (interface 2.1)", async () => {
    await expectRefused(donationWith({ donatorName: '""' }), "donatorName", "shortest");
    expectEdges([lengthEdge("donatorName", 0)]);
  });

  test.each(alphabets)("donatorName of one character is accepted (interface 2.1): %s", async (alphabet) => {
    await holds(textOf(1, alphabet), (value) => expectAccepted(donationWith({ donatorName: JSON.stringify(value) }), "donatorName"), {
      runs: 8,
    });
    expectEdges([lengthEdge("donatorName", 1, alphabet)]);
  });

  test.each(["0", "-1", "1e3", "NaN", "null", "undefined", "false", "2026-11-20T19:30:00+07:00", "2026-11-20"])(
    "donatorName may be a text that reads as a number, a boolean or null, or as a date (interface 2.1): %s",
    (name) => expectAccepted(donationWith({ donatorName: JSON.stringify(name) }), "donatorName"),
  );
});

// The message.

lengthRules("message", lengthsOf("message"));

describe("message", () => {
  test("message of no character is accepted: it has no lower bound (interface 2.1)", async () => {
    await expectAccepted(donationWith({ message: '""' }), "message");
    expectEdges([lengthEdge("message", 0)]);
  });

  test("message may hold what would be a command elsewhere, or a value of another type (interface 2.1)", async () => {
    for (const message of [
      "<script>alert(1)</script>",
      "'; drop table donations; --",
      "{{7*7}}",
      "../../etc/passwd",
      "%00%0a",
      "=1+1",
      "http://example.com",
      "0",
      "null",
      "2026-11-20T19:30:00+07:00",
      "2026-11-20",
    ])
      await expectAccepted(donationWith({ message: JSON.stringify(message) }), "message");
  });
});

// The identifier.

// The interface does not state how a server uses the identifier: no rule here expects one to be accepted twice.

lengthRules("identifier", { ...lengthsOf("identifier"), unique: true });

describe("identifier", () => {
  test("identifier of no character is accepted: it has no lower bound (interface 2.1)", async (context) => {
    await acceptsUnused(context, "identifier", [""]);
    expectEdges([lengthEdge("identifier", 0)]);
  });
});

// The idempotency key.

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
