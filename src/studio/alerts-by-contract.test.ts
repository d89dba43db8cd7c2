import { expect, test } from "vitest";
import type { InvokeOperation } from "../http/invoke.ts";
import { contractAlerts } from "./alerts-by-contract.ts";
import { donation } from "./testing.ts";

test("the studio asks for the latest donations by createdAt, void ones included, so that an imported donation of long ago is not among them", async () => {
  const asked: unknown[] = [];
  const invoke = (async (id: string, _principal: unknown, call: { query: object }) => {
    asked.push([id, call.query]);
    return { body: { data: [donation()] } };
  }) as unknown as InvokeOperation;
  await contractAlerts({ invoke, scopes: [], application: async () => "studio's", voidNotes: async () => new Map() }).latest("somchai");
  expect(asked).toEqual([["listDonations", { sort: "-createdAt", source: ["external", "native", "test"], status: "all", limit: 10 }]]);
});
