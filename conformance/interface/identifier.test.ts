import { describe, test } from "vitest";

import { lengthEdge } from "../harness/edges.ts";
import { lengthsOf } from "../harness/interface.ts";
import { lengthRules } from "../harness/length-rules.ts";
import { expectEdges } from "../harness/score.ts";
import { donationWith, takes } from "../harness/verdicts.ts";

lengthRules("identifier", lengthsOf("identifier"));

describe("identifier", () => {
  test("of no code point is accepted: it has no lower bound (interface 2.1)", async () => {
    await takes(donationWith({ identifier: '""' }), "identifier");
    expectEdges([lengthEdge("identifier", 0)]);
  });
});
