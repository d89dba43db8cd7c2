import { describe, test } from "vitest";
import { lengthsOf } from "../suite/contract/interface.ts";
import { acceptsUnused, lengthRules } from "../suite/models/length-rules.ts";
import { expectEdges, lengthEdge } from "../suite/values/score.ts";

// The interface does not state how a server uses the identifier: no rule here expects one to be accepted twice.

lengthRules("identifier", { ...lengthsOf("identifier"), unique: true });

describe("identifier", () => {
  test("identifier of no character is accepted: it has no lower bound (interface 2.1)", async (context) => {
    await acceptsUnused(context, "identifier", [""]);
    expectEdges([lengthEdge("identifier", 0)]);
  });
});
