import { describe, test } from "vitest";
import { expectEdges } from "../harness/client/score.ts";
import { lengthEdge } from "../harness/oracle/edges.ts";
import { lengthsOf } from "../harness/oracle/interface.ts";
import { lengthRules } from "../harness/oracle/length-rules.ts";
import { donationWith, expectAccepted } from "../harness/oracle/verdicts.ts";

lengthRules("identifier", lengthsOf("identifier"));

describe("identifier", () => {
  test("identifier of no code point is accepted: it has no lower bound (interface 2.1)", async () => {
    await expectAccepted(donationWith({ identifier: '""' }), "identifier");
    expectEdges([lengthEdge("identifier", 0)]);
  });
});
