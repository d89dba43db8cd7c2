import { describe, test } from "vitest";
import { holds } from "../suite/client/holds.ts";
import { lengthsOf } from "../suite/contract/interface.ts";
import { lengthRules } from "../suite/models/length-rules.ts";
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
