import { describe, test } from "vitest";
import { expectEdges } from "../suite/client/score.ts";
import { lengthEdge } from "../suite/oracle/edges.ts";
import { lengthsOf } from "../suite/oracle/interface.ts";
import { lengthRules } from "../suite/oracle/length-rules.ts";
import { acceptsUnused } from "../suite/oracle/used-texts.ts";

// The interface does not state how a server uses the identifier: no rule here expects one to be accepted twice.

lengthRules("identifier", { ...lengthsOf("identifier"), unique: true });

describe("identifier", () => {
  test("identifier of no character is accepted: it has no lower bound (interface 2.1)", async (context) => {
    await acceptsUnused(context, "identifier", [""]);
    expectEdges([lengthEdge("identifier", 0)]);
  });
});
