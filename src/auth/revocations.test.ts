import { uuidv7 } from "uuidv7";
import { expect, onTestFinished, test, vi } from "vitest";
import { useDatabase } from "../db/testing.ts";
import { loadDenials } from "./revocations.ts";

const database = useDatabase();

async function owner() {
  const streamerId = uuidv7();
  await database.knex("streamers").insert({ id: streamerId });
  return { streamerId, client: "client" };
}

test("a token that waits to be denied keeps no connection on which credentials are looked up", async () => {
  const lookUps = database.pool({ max: 1, connectTimeoutMs: 500 });
  const denials = await loadDenials(lookUps, database.knex);
  const jti = uuidv7();
  const lock = await database.knex.transaction();
  await lock("credential_changes").forUpdate().first("version");
  const denied = denials.denyToken(jti, await owner());
  await expect.poll(() => denials.has(jti)).toBe(true);
  expect(await lookUps("credential_changes").first("version")).toBeDefined();
  await lock.commit();
  await denied;
});

test("a token whose denial failed does not count as denied, so that denying it again records it", async () => {
  const broken = database.pool({ max: 1 });
  await broken.destroy();
  const denials = await loadDenials(database.knex, broken);
  const jti = uuidv7();
  await expect(denials.denyToken(jti, await owner())).rejects.toThrow();
  expect(denials.has(jti)).toBe(false);
});

test("ids whose denial is rolled back are not denied", async () => {
  const denials = await loadDenials(database.knex);
  const id = uuidv7();
  const deniedThen: boolean[] = [];
  const rolledBack = database.knex.transaction(async (trx) => {
    await denials.deny([id], trx);
    deniedThen.push(denials.has(id));
    throw new Error("rolled back");
  });
  await expect(rolledBack).rejects.toThrow("rolled back");
  expect([...deniedThen, denials.has(id)]).toEqual([true, false]);
});

test("what was denied in the last five minutes is read at each reload, and all of it once a minute", async () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const denials = await loadDenials(database.knex);
  const [recent, old] = [uuidv7(), uuidv7()];
  await deniedBefore(recent, "4 minutes");
  await deniedBefore(old, "6 minutes");
  await denials.reload();
  expect([recent, old].map(denials.has)).toEqual([true, false]);
  vi.advanceTimersByTime(61_000);
  await denials.reload();
  expect([recent, old].map(denials.has)).toEqual([true, true]);
});

test("a denial that was read stays, whatever a reload that began before it finds", async () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const slow = database.pool({ max: 2 });
  const denials = await loadDenials(slow);
  vi.advanceTimersByTime(61_000);
  const acquire = slow.client.acquireConnection.bind(slow.client);
  let goOn = () => {};
  slow.client.acquireConnection = async () => {
    slow.client.acquireConnection = acquire;
    const connection = await acquire();
    const query = connection.query.bind(connection);
    connection.query = (asked: unknown, callback: (...outcome: unknown[]) => void) =>
      query(asked, (...outcome: unknown[]) => {
        connection.query = query;
        goOn = () => callback(...outcome);
      });
    return connection;
  };
  const [before, id] = [denials.reload(), uuidv7()];
  await expect.poll(() => String(goOn)).toContain("callback");
  await deniedBefore(id, "0 minutes");
  await denials.reload();
  goOn();
  await before;
  expect(denials.has(id)).toBe(true);
});

/** Denied by another process. */
async function deniedBefore(id: string, interval: string): Promise<void> {
  await database.knex("denials").insert({ id, expires_at: database.knex.raw("now() + interval '65 minutes' - ?::interval", [interval]) });
}
