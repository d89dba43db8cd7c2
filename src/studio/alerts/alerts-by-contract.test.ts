import { expect, test } from "vitest";
import type { CallAsStreamer } from "../call-as-streamer.ts";
import { donation } from "../testing-examples.ts";
import { contractAlerts } from "./alerts-by-contract.ts";

test("the studio asks for the latest donations by createdAt, void ones included, so that an imported donation of long ago is not among them", async () => {
  const asked: unknown[] = [];
  const as = (async (_streamerId: string, id: string, call: { query: object }) => {
    asked.push([id, call.query]);
    return { body: { data: [donation()] } };
  }) as unknown as CallAsStreamer;
  const own = { voidNotes: async () => new Map(), held: async () => new Set<string>(), story: async () => [] };
  await contractAlerts({ as, check: () => {}, application: async () => "studio's", own }).latest("somchai");
  expect(asked).toEqual([["listDonations", { sort: "-createdAt", source: ["external", "native", "test"], status: "all", limit: 5 }]]);
});
