import { expect, test } from "vitest";
import { newId } from "../db/ids.ts";
import { useDatabase } from "../db/testing.ts";
import { actAs } from "./actor.ts";
import { audited, recordAudit } from "./audit-log.ts";
import { type ChainHead, linesSince, verifyChains } from "./chains.ts";
import { auditLines, tamper } from "./testing.ts";

const database = useDatabase();

const append = (streamerId: string, target: string) =>
  database.knex.transaction((trx) => recordAudit(trx, { streamerId, action: "api_key.created", target }));

async function chainOf(...targets: string[]): Promise<string> {
  const chain = newId();
  for (const target of targets) await append(chain, target);
  return chain;
}

const brokenIn = async (chain: string, known: ChainHead[] = []) =>
  (await verifyChains(database.knex, known)).broken.find((line) => line.chain === chain) ?? null;
const headOf = async (chain: string) => (await verifyChains(database.knex)).heads.find((head) => head.chain === chain) as ChainHead;

test("a line tells who did what to which thing, with outcome and details", async () => {
  const streamerId = newId();
  const actor = { kind: "api_key", id: "k1", streamer: streamerId, from: "203.0.113.9", request: "r1" } as const;
  const line = { streamerId, action: "donation.voided", target: "d1", details: { reason: "refund" } } as const;
  await actAs(actor, () => database.knex.transaction((trx) => recordAudit(trx, line)));
  expect(await auditLines(database.knex, streamerId)).toEqual([
    { chain: streamerId, number: 1, action: "donation.voided", outcome: "done", actor, target: "d1", details: { reason: "refund" } },
  ]);
});

test("what nobody has asked for is done by the server, and what concerns no streamer stands in the operator's chain", async () => {
  await database.knex.transaction((trx) => recordAudit(trx, { streamerId: null, action: "database.purged" }));
  expect((await auditLines(database.knex, "operator")).at(-1)).toMatchObject({
    action: "database.purged",
    actor: { kind: "server" },
    target: null,
  });
});

test("an action that is rolled back leaves no line, and the next line follows the last one", async () => {
  const streamerId = await chainOf("a");
  const failing = audited(
    database.knex,
    async () => {},
    () => ({ streamerId, action: "api_key.revoked" }),
  ).then(() => append(streamerId, "b"));
  await failing;
  await expect(
    database.knex.transaction(async (trx) => {
      await recordAudit(trx, { streamerId, action: "api_key.revoked" });
      throw new Error("undone");
    }),
  ).rejects.toThrow("undone");
  await append(streamerId, "c");
  expect((await auditLines(database.knex, streamerId)).map(({ number, target }) => [number, target])).toEqual([
    [1, "a"],
    [2, null],
    [3, "b"],
    [4, "c"],
  ]);
  expect(await brokenIn(streamerId)).toBeNull();
});

test("lines that are appended at the same time form one unbroken chain", async () => {
  const streamerId = newId();
  await Promise.all(Array.from({ length: 40 }, (_, i) => append(streamerId, `t${i}`)));
  expect(await auditLines(database.knex, streamerId)).toHaveLength(40);
  expect(await brokenIn(streamerId)).toBeNull();
});

test.each([
  ["update of a line", "update audit_log set entry = '{}'"],
  ["delete of a line", "delete from audit_log"],
  ["truncate", "truncate audit_log"],
  ["delete of a chain", "delete from audit_chains"],
  ["truncate of the chains", "truncate audit_chains"],
  ["turning a chain back", "update audit_chains set last_number = last_number - 1"],
])("the database refuses %s", async (_, sql) => {
  await chainOf("a");
  await expect(database.knex.raw(sql)).rejects.toThrow("the audit log is append-only");
});

test.each([
  ["a changed text", (c: string) => `update audit_log set entry = replace(entry, '"b"', '"x"') where chain = '${c}'`, 2, "its hash"],
  ["a changed time", (c: string) => `update audit_log set at = at - interval '1 s' where chain = '${c}' and number = 3`, 3, "its hash"],
  ["a removed line", (c: string) => `delete from audit_log where chain = '${c}' and number = 2`, 2, "missing"],
  ["a removed last line", (c: string) => `delete from audit_log where chain = '${c}' and number = 4`, 4, "missing"],
  ["a chain without lines", (c: string) => `delete from audit_log where chain = '${c}'`, 1, "missing"],
  [
    "lines that changed places",
    (c: string) =>
      `update audit_log set number = -number where chain = '${c}' and number in (2, 3);
       update audit_log set number = 5 + number where chain = '${c}' and number < 0`,
    2,
    "its hash",
  ],
  [
    "a line of another chain",
    (c: string) => `update audit_log a set entry = b.entry, hash = b.hash from audit_log b
      where a.chain = '${c}' and a.number = 2 and b.chain <> '${c}' and b.number = 2`,
    2,
    "its hash",
  ],
])("%s is found, and the first broken line is named", async (_, sql, number, reason) => {
  await chainOf("p", "q");
  const chain = await chainOf("a", "b", "c", "d");
  await tamper(database.knex, sql(chain));
  expect(await brokenIn(chain)).toEqual({ chain, number, reason: expect.stringContaining(reason) });
});

test("a chain that was written anew as a whole is found by a head that was noted before", async () => {
  const chain = await chainOf("a", "b");
  const known = await headOf(chain);
  await tamper(database.knex, `delete from audit_log where chain = '${chain}'`);
  await tamper(database.knex, `delete from audit_chains where chain = '${chain}'`, "audit_chains");
  await append(chain, "a");
  await append(chain, "x");
  expect(await brokenIn(chain)).toBeNull();
  expect(await brokenIn(chain, [known])).toMatchObject({ number: 2, reason: expect.stringContaining("written anew") });
});

test("a chain that is gone altogether is found by a head that was noted before", async () => {
  const chain = await chainOf("a", "b");
  const known = await headOf(chain);
  await tamper(database.knex, `delete from audit_log where chain = '${chain}'`);
  await tamper(database.knex, `delete from audit_chains where chain = '${chain}'`, "audit_chains");
  expect(await brokenIn(chain, [known])).toMatchObject({ number: 1, reason: expect.stringContaining("missing") });
});

test("a head that was noted before agrees with a chain that has grown since", async () => {
  const chain = await chainOf("a", "b");
  const known = await headOf(chain);
  await append(chain, "c");
  expect(await brokenIn(chain, [known])).toBeNull();
});

test("lines since a time are those of all chains or of one, in the order of their times", async () => {
  const { rows } = await database.knex.raw<{ rows: { now: Date }[] }>("select clock_timestamp() as now");
  const [one, other] = [await chainOf("a", "b"), await chainOf("c")];
  const since = rows[0]?.now as Date;
  const read = async (chain: string | null) => {
    const lines = await Array.fromAsync(linesSince(database.knex, { since, chain }));
    return lines.map(({ entry }) => JSON.parse(entry).target);
  };
  expect(await read(null)).toEqual(["a", "b", "c"]);
  expect(await read(other)).toEqual(["c"]);
  expect(await read(one)).toEqual(["a", "b"]);
});
