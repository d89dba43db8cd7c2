import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { create, type Donation, list, recorded, search } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { exported } from "../../suite/client/workbook.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { postgresPrograms } from "../../suite/servers/cluster.ts";
import { needsOwnProcess } from "../../suite/servers/process.ts";
import { type StandbyServer, startStandbyServer } from "../../suite/servers/standby-server.ts";
import { target } from "../../suite/values/target.ts";

// A server that reads from a standby answers what one on the primary alone would answer, whatever the standby has replayed.

beforeEach(needsOwnProcess);

const patience = { timeout: 120_000 };
/** In CI a missing program is a failure. */
const isRequired = process.env.CI !== undefined;

let server: StandbyServer | null = null;
beforeAll(async () => {
  const { operator } = target();
  if (!operator || (!isRequired && !(await postgresPrograms()))) return;
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operator.env;
  server = await startStandbyServer(env);
}, 600_000);
afterAll(() => server?.stop());

const at = () => ({ server: server?.url ?? "", key: server?.key ?? "" });

/** Expects every kind of answer to have the donation that was recorded just now; `count` is the number of all. */
async function expectInEveryAnswer({ id, donatorName }: Donation, count: number): Promise<void> {
  const bodyOf = async (reply: Promise<Reply>): Promise<{ data: { id: string }[] & { count: number } }> => {
    const { status, body, text } = await reply;
    expect(status, text).toBe(200);
    return body as { data: { id: string }[] & { count: number } };
  };
  const pages = [await bodyOf(list({ limit: 1 }, at())), await bodyOf(search({ q: donatorName }, at()))];
  expect(pages.map(({ data }) => data[0]?.id)).toEqual([id, id]);
  const { data } = await bodyOf(send({ path: "/api/v1/donations/stats", ...at() }));
  expect(data.count).toBe(count);
  const { rows } = await exported({}, server?.key, server?.url);
  expect(rows.map((row) => row["Donation id"]?.v)).toContain(id);
}

let count = 0;

/** Records a donation and expects every answer to have it. */
async function expectExact(): Promise<void> {
  const donation = recorded(await create({ donatorName: randomUUID(), amount: 1, message: "" }, at()));
  count += 1;
  await expectInEveryAnswer(donation, count);
}

/** Repeats `expectExact` until a read had this outcome since the call. */
async function expectExactUntil(outcome: string): Promise<void> {
  const before = (await server?.reads())?.[outcome] ?? 0;
  for (const deadline = Date.now() + 60_000; ((await server?.reads())?.[outcome] ?? 0) === before; await sleep(50)) {
    if (Date.now() > deadline) throw new Error(`no read was "${outcome}" within a minute`);
    await expectExact();
  }
}

test.each([
  ["follows", "standby", async () => {}],
  ["has stopped to replay", "behind", async () => server?.onStandby("select pg_wal_replay_pause()")],
  ["replays again", "standby", async () => server?.onStandby("select pg_wal_replay_resume()")],
  ["is killed", "away", async () => server?.standby.kill()],
  ["is started again", "standby", async () => server?.standby.start()],
])(
  "lists, searches, reports and exports have every acknowledged donation while the standby %s",
  patience,
  async (_state, outcome, change) => {
    if (!server) throw new Error("no server was started");
    await change();
    await expectExactUntil(outcome);
  },
);

test("a standby that was promoted is not read any more, because it counts by itself", patience, async () => {
  await server?.onStandby("select pg_promote()");
  await expectExactUntil("away");
});
