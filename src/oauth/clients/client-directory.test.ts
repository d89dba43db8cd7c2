import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

import { clientDirectory } from "./client-directory.ts";

const clientId = "https://client.example/about.json";

test("a failed fetch of a document fails every request that waits for it, and the next request fetches it again", async () => {
  let fetches = 0;
  const directory = clientDirectory({
    store: { find: async () => null, upsert: async () => {}, keep: async () => {}, isRemoved: async () => false },
    fetchDocument: async () => {
      fetches += 1;
      await sleep(50);
      throw new Error("it could not be fetched");
    },
    failures: null,
  });
  const asked = [directory.find(clientId, "::1"), sleep(10).then(() => directory.find(clientId, "::1"))];
  for (const outcome of await Promise.allSettled(asked)) expect(outcome).toMatchObject({ reason: { code: "validation_failed" } });
  expect(fetches).toBe(1);
  await expect(directory.find(clientId, "::1")).rejects.toMatchObject({ code: "validation_failed" });
  expect(fetches).toBe(2);
});
