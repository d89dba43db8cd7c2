import { describe, test } from "vitest";

import { lengthEdge } from "../harness/edges.ts";
import { holds } from "../harness/holds.ts";
import { lengthsOf } from "../harness/interface.ts";
import { lengthRules } from "../harness/length-rules.ts";
import { expectEdges } from "../harness/score.ts";
import { alphabets, textOf } from "../harness/text.ts";
import { donationWith, refuses, takes } from "../harness/verdicts.ts";

lengthRules("donatorName", lengthsOf("donatorName"));

describe("donatorName", () => {
  test("of no code point is refused (interface 2.1)", async () => {
    await refuses(donationWith({ donatorName: '""' }), "donatorName", "shortest");
    expectEdges([lengthEdge("donatorName", 0)]);
  });

  test.each(alphabets)("of one code point is accepted (interface 2.1): %s", async (alphabet) => {
    await holds(textOf(1, alphabet), (value) => takes(donationWith({ donatorName: JSON.stringify(value) }), "donatorName"), { runs: 8 });
    expectEdges([lengthEdge("donatorName", 1, alphabet)]);
  });

  test("of blanks alone is a name all the same (interface 2.1)", async () => {
    for (const name of [" ", "   ", "\t", "\n", "\u00a0", "\u3000", "\u200b"])
      await takes(donationWith({ donatorName: JSON.stringify(name) }), "donatorName");
  });
});
