import { expect, test } from "vitest";
import { openStandby } from "./standby.ts";
import { silent, useDatabase } from "./testing.ts";

const database = useDatabase();

const open = (url: string) => openStandby({ url, primary: database.knex, preparedStatements: null, log: silent });

test("a database of another name is refused as a standby", async () => {
  const other = open(Object.assign(new URL(database.url), { pathname: "/postgres" }).href);
  await expect(other.check()).rejects.toThrow(
    "READ_DATABASE_URL is not a standby of DATABASE_URL: it has another system identifier or database name",
  );
  await other.close();
});

test("a server that is not in recovery is refused as a standby: what it counts by itself says nothing about the primary", async () => {
  const same = open(database.url);
  await expect(same.check()).rejects.toThrow("READ_DATABASE_URL is not a standby: it is not in recovery, and accepts writes of its own");
  expect(same.keepsLongReads()).toBe(false); // hot_standby_feedback is off by default
  await same.close();
});

test("a standby that can't be reached rejects the check within its time limit", async () => {
  const away = open("postgres://postgres@127.0.0.1:1/postgres");
  await expect(away.check()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await away.close();
});
