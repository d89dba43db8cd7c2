import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { makeSealer } from "../db/secrets.ts";
import { useDatabase } from "../db/testing.ts";
import { loadSigningKeys } from "./signing-keys.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const database = useDatabase();

test("looking up an unknown kid makes Node emit no warning, right after a reload and long after it", async () => {
  const warnings: string[] = [];
  const recordWarning = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
  process.on("warning", recordWarning);
  const keys = await loadSigningKeys(database.knex, makeSealer(null));
  expect(await keys.findPublicKey("unknown")).toBeNull();
  await sleep(200); // longer than the pause between two reloads
  expect(await keys.findPublicKey("unknown")).toBeNull();
  process.off("warning", recordWarning);
  expect(warnings).toEqual([]);
});
