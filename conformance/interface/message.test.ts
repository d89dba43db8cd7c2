import { describe, test } from "vitest";
import { lengthsOf } from "../suite/contract/interface.ts";
import { lengthRules } from "../suite/models/length-rules.ts";
import { donationWith, expectAccepted } from "../suite/models/verdicts.ts";
import { expectEdges, lengthEdge } from "../suite/values/score.ts";

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
