import { pino } from "pino";
import { uuidv7 } from "uuidv7";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { silent, type TemporaryServer, temporaryServer, until } from "../db/testing.ts";
import { hasPooler, type PoolMode, type TemporaryPooler, temporaryPooler, whyNotPooled } from "../db/testing-pooler.ts";
import type { Notifier } from "./notifier.ts";
import { openNotifier } from "./open-notifier.ts";

describe.skipIf(!hasPooler)(`${whyNotPooled}NOTIFIER=postgres through PgBouncer`, () => {
  let server: TemporaryServer;
  let database: Database;
  const open: (Notifier | TemporaryPooler)[] = [];

  beforeAll(async () => {
    server = await temporaryServer();
    database = await server.freshDatabase();
  });

  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await ("close" in opened ? opened.close() : opened.stop());
  });

  afterAll(async () => {
    await database?.close();
    await server?.remove();
  });

  async function poolerIn(mode: PoolMode): Promise<string> {
    const pooler = await temporaryPooler(server.url, mode);
    open.push(pooler);
    return pooler.url(database.url);
  }

  function notifier(databaseUrl: string, log = silent): Notifier {
    const opened = openNotifier(readConfig({ NOTIFIER: "postgres" }), databaseUrl, log);
    open.push(opened);
    return opened;
  }

  test("behind a pooler in transaction mode, the log says that LISTEN needs a session, and what to set", async () => {
    const lines: string[] = [];
    notifier(await poolerIn("transaction"), pino({ level: "warn" }, { write: (line) => lines.push(line) }));
    await until(async () => lines.length > 0);
    expect(lines.join()).toMatch(/LISTEN needs a session.*LISTEN_DATABASE_URL.*NOTIFIER=redis/);
  });

  test("behind a pooler in session mode, a notification of one process arrives at another", async () => {
    const url = await poolerIn("session");
    const [one, other] = [notifier(url), notifier(url)];
    const [heard, streamerId]: [string[], string] = [[], uuidv7()];
    other.subscribe((told) => heard.push(told));
    await until(async () => {
      one.notify(streamerId);
      return heard.includes(streamerId);
    });
  });
});
