import { expect, test } from "vitest";
import type { CallAsStreamer } from "../call-as-streamer.ts";
import { donation } from "../testing.ts";
import { contractAlerts } from "./alerts-by-contract.ts";

test("the studio asks for the latest donations by createdAt, void ones included, so that an imported donation of long ago is not among them", async () => {
  const asked: unknown[] = [];
  const as = (async (_streamerId: string, id: string, call: { query: object }) => {
    asked.push([id, call.query]);
    return { body: { data: [donation()] } };
  }) as unknown as CallAsStreamer;
  await contractAlerts({ as, application: async () => "studio's", voidNotes: async () => new Map() }).latest("somchai");
  expect(asked).toEqual([["listDonations", { sort: "-createdAt", source: ["external", "native", "test"], status: "all", limit: 10 }]]);
});
