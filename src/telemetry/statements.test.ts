import { expect, test } from "vitest";
import { describeStatement } from "./statements.ts";

const record = `-- name: INSERT donations
with counted as (update streamers set last_sequence = 1 /* its counter */),
-- Why it is so.
stored as (insert into donations select 1) select id from stored`;

test.each([
  [record, "INSERT donations"],
  ["with stored as (insert into donations select 1), alerted as (update alerts set state = 1) select 1", "INSERT donations"],
  ['select "id" from "api_keys" where "id" = $1', "SELECT api_keys"],
  ["with page as materialized (select * from donations) select * from page join alerts using (id)", "SELECT donations"],
  ["with input as (select * from unnest($1::uuid[]) as i(id)) select d.id from input join donations d using (id)", "SELECT donations"],
  ["-- Why.\nupdate streamers set last_sequence = 1", "UPDATE streamers"],
  ["update only alerts as a set state = 'x'", "UPDATE alerts"],
  ["delete from events where id = $1", "DELETE events"],
  ["select 1", "SELECT"],
  ["BEGIN;", "BEGIN"],
  ["set local lock_timeout = '1s'", "SET"],
  ["", "_OTHER"],
])("the summary of a statement names what it does to which table: %#", (text, summary) =>
  expect(describeStatement(text).summary).toBe(summary),
);

test("the text of a statement has no comments and no line breaks, and quoted ones stay", () => {
  const text = "select '--no /* comment */' -- Why.\n  from /* columns */ donations\nwhere \"a--b\" = $1";
  expect(describeStatement(text).text).toBe("select '--no /* comment */' from donations where \"a--b\" = $1");
  expect(describeStatement(record).text).not.toContain("Why");
});

test("a text of more than 1,024 characters is cut, and says so", () => {
  const { text } = describeStatement(`select ${"a, ".repeat(1_000)} b from donations`);
  expect([text.length, text.at(-1)]).toEqual([1_024, "…"]);
});
