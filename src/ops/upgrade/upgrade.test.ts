import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { migrationsDirectory, readMigrations } from "../../db/migrator/migrate.ts";
import { type TemporaryServer, temporaryServer } from "../../db/testing.ts";
import { readContract } from "../../http/contract/published.ts";
import { operationsWithoutRequest, requestsByOperation } from "./questions.ts";
import released from "./released.json" with { type: "json" };
import { type Answers, answersAfter } from "./upgrade.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let server: TemporaryServer;
beforeAll(async () => {
  server = await temporaryServer();
});
afterAll(() => server?.remove());

const lastReleased = Object.keys(released.migrations).at(-1) as string;
const answers: Answers = released.answers;

describe("answers after an upgrade", () => {
  test("a database of the released schema answers every question after the upgrade as the released server did", async () => {
    // Members that were added since the release do not count as a difference.
    expect(await answersAfter(server, { migration: lastReleased })).toMatchObject(answers);
  });

  test("a message and an amount that an upgrade changes are noticed, each where it is read", async () => {
    const statements =
      "update donations set message = '' where sequence = 29; update donations set amount = amount + 1 where sequence = 11;";
    const after = await answersAfter(server, { migration: lastReleased, statements });
    const different = Object.keys(answers).filter((path) => JSON.stringify(after[path]) !== JSON.stringify(answers[path]));
    expect(different).toEqual(
      expect.arrayContaining([expect.stringMatching(/00000b$/), expect.stringMatching(/1d$/), expect.stringMatching(/stats/)]),
    );
    expect(different.length).toBeLessThan(Object.keys(answers).length);
  });
});

test("every reading operation of the contract is requested before and after an upgrade, or named with the reason why not", () => {
  const paths: { get?: { operationId: string } }[] = Object.values(readContract().paths);
  const reading = paths.flatMap(({ get }) => (get ? [get.operationId] : []));
  const known = Object.keys({ ...requestsByOperation, ...operationsWithoutRequest });
  const missing = reading.filter((id) => !known.includes(id));
  expect(
    missing,
    "add their paths to requestsByOperation in src/ops/upgrade/questions.ts, or to operationsWithoutRequest with the reason",
  ).toEqual([]);
  expect(
    known.filter((id) => !reading.includes(id)),
    "take these out of src/ops/upgrade/questions.ts",
  ).toEqual([]);
});

test.each(Object.entries(released.migrations))(
  "the released migration %s was not edited: a new one holds what changes",
  async (name, sum) => {
    const migration = (await readMigrations(migrationsDirectory)).find((one) => one.name === name);
    expect(migration?.sha256).toBe(sum);
  },
);
