import { pino } from "pino";
import { expect, test } from "vitest";
import { type Config, readConfig } from "../config.ts";
import { requireSameDatabase } from "./other-addresses.ts";
import { useDatabase } from "./testing.ts";

const database = useDatabase();

const none = readConfig({ NOTIFIER: "postgres" });
const urlWith = (change: Partial<URL>) => Object.assign(new URL(database.url), change).href;

/** Lines of the log. */
async function check(config: Config): Promise<string> {
  const lines: string[] = [];
  await requireSameDatabase(database.knex, config, pino({ level: "info" }, { write: (line) => lines.push(line) }));
  return lines.join("");
}

test.each(["readDatabaseUrl", "listenDatabaseUrl"] as const)(
  "a %s of another database is refused by the setting's name",
  async (member) => {
    const setting = member === "readDatabaseUrl" ? "READ_DATABASE_URL" : "LISTEN_DATABASE_URL";
    const refused = check({ ...none, [member]: urlWith({ pathname: "/postgres" }) });
    await expect(refused).rejects.toThrow(
      new RegExp(`^${setting} leads to another database than DATABASE_URL: to "postgres" of .*, not "test_`),
    );
  },
);

test.each(["readDatabaseUrl", "listenDatabaseUrl"] as const)(
  "a %s that can never be used is refused with advice about it",
  async (member) => {
    const setting = member === "readDatabaseUrl" ? "READ_DATABASE_URL" : "LISTEN_DATABASE_URL";
    const refused = check({ ...none, [member]: urlWith({ pathname: "/absent" }) });
    await expect(refused).rejects.toThrow(
      new RegExp(`^${setting}: PostgreSQL at .*/absent cannot be used: .* does not exist. Check ${setting},`),
    );
    await expect(refused).rejects.not.toThrow(new URL(database.url).password);
  },
);

test("a LISTEN_DATABASE_URL that is not used is not asked", async () => {
  expect(await check({ ...none, notifier: "redis", listenDatabaseUrl: urlWith({ pathname: "/absent" }) })).toBe("");
});

test("addresses of the same database are taken without a word", async () => {
  expect(await check({ ...none, listenDatabaseUrl: database.url, readDatabaseUrl: database.url })).toBe("");
});

test("a standby that does not answer within the wait is named in the log, and the server starts without it", async () => {
  const said = await check({ ...none, readDatabaseUrl: urlWith({ host: "127.0.0.1:1" }) });
  expect(said).toContain('"level":40');
  expect(said).toContain("READ_DATABASE_URL: PostgreSQL at 127.0.0.1:1/");
  expect(said).not.toContain(new URL(database.url).password);
});
