// A run with --read-only changes nothing: neither a row of the server's database nor what a request could be seen by.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";

import { databaseUrl } from "../../suite/servers/database.ts";
import { conformance, conformanceOfProject } from "./command.ts";
import { type ServerInUse, startServerInUse } from "./server-in-use.ts";

let server: ServerInUse;

beforeAll(async () => {
  server = await startServerInUse();
  await server.ask("PATCH", "/api/v1/alerts/settings", server.unusualSettings);
  for (let count = 0; count < 3; count += 1) await server.ask("POST", "/api/v1/donations", { donatorName: "real", amount: 60 });
  return server.stop;
}, 400_000);

/** Rule files that send every kind of change in every way: as JSON, through forms of pages, and from the overlay. */
const changing = "/^(alerts|overlay|oauth|donations.(create|get|list)|interface.amount)/";

/** Columns that change although nobody asks for a change: when a credential was last used, and until when a process counts as alive. */
const stamps = /last_used|last_seen|alive_until/;

/** Every row of every table as text, without stamps. */
async function allRows(): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: await databaseUrl(server.served.operator?.env ?? {}) });
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    const texts: Record<string, string[]> = {};
    for (const { name } of tables) texts[name] = await rowsOf(client, name);
    return texts;
  } finally {
    await client.end();
  }
}

async function rowsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query(`select * from "${table}"`);
  return rows.map((row) => JSON.stringify(Object.entries(row).filter(([column]) => !stamps.test(column)))).sort();
}

/** Every row once the server's workers have taken up what was recorded. */
async function settledRows(): Promise<Record<string, string[]>> {
  for (;;) {
    const before = await allRows();
    await sleep(before.report_sums?.length ? 3_000 : 250);
    const now = await allRows();
    if (now.report_sums?.length && JSON.stringify(now) === JSON.stringify(before)) return now;
  }
}

test("a run with --read-only leaves each row of the database as it was, and says what was left out", async () => {
  const before = await settledRows();
  const words = ["--url", server.served.url, "--read-only", "--depth", "quick", "--seed", "5", "--only", changing];
  const { code, output } = await conformance(words, server.env);
  expect(await allRows()).toEqual(before);
  expect([code, output]).toEqual([0, expect.stringMatching(/\d+ rules +left out by --read-only/)]);
}, 600_000);

test("--read-only without --url is wrong usage", async () => {
  const { code, output } = await conformanceOfProject(["--read-only"], {});
  expect([code, output]).toEqual([64, expect.stringContaining("--read-only needs --url")]);
});
