import { expect, test } from "vitest";
import { silent } from "../db/testing.ts";
import { trackLastUse } from "./keys.ts";

test("a use that could not be written is written with the next one", async () => {
  const written: string[][] = [];
  let isAway = true;
  const recordUses = async (uses: ReadonlyMap<string, Date>) => {
    if (isAway) throw new Error("the database is away");
    written.push([...uses.keys()]);
  };
  const lastUse = trackLastUse({ recordUses }, 3_600_000, silent);
  lastUse.record("key");
  await lastUse.stop();
  isAway = false;
  lastUse.record("key");
  lastUse.record("key");
  await lastUse.stop();
  await lastUse.stop();
  expect(written).toEqual([["key"]]);
});
