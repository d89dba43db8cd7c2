import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { batchedReads } from "../../../db/batched-reads.ts";
import { makeSealer } from "../../../db/secrets.ts";
import { openReceiver, sendAll, useTestWebhooks } from "../testing.ts";
import { workerStore } from "./worker-store.ts";

const setting = useTestWebhooks();
const { opened } = setting;

function storeOf(workerId: string) {
  const { knex, now } = setting.webhooks;
  return workerStore({ knex, deliveriesKnex: knex, reads: batchedReads(knex), sealer: makeSealer(null), now, workerId, leaseMs: 60_000 });
}

test("a process disables an endpoint and fails its retries; one that does not have the endpoint any more changes nothing", async () => {
  const { knex, owner: newOwner, endpoint: newEndpoint, donate, deliveriesOf } = setting.webhooks;
  const owner = await newOwner();
  const receiver = await openReceiver(() => ({ status: 500 }));
  const { id } = await newEndpoint(owner, receiver.url);
  await donate(owner);
  const sending = setting.webhooks.worker();
  opened.push(receiver.close, sending.stop);
  await sendAll(sending);
  const { worker_id: workerId } = await knex("webhook_endpoints").where({ id }).first("worker_id");
  const state = async () => {
    const { disabled_reason: reason } = await knex("webhook_endpoints").where({ id }).first("disabled_reason");
    return [reason, ...(await deliveriesOf(id)).map(({ status }) => status)];
  };
  await storeOf(uuidv7()).disconnect(id);
  expect(await state()).toEqual([null, "retrying"]);
  await storeOf(workerId).disconnect(id);
  expect(await state()).toEqual(["disconnected", "failed"]);
});

test("an endpoint is read and moved on by its id, also by plans that were made when a process had one", async () => {
  const { knex, owner: newOwner, endpoint: newEndpoint } = setting.webhooks;
  const { id } = await newEndpoint(await newOwner(), "http://127.0.0.1:1/");
  const workerId = uuidv7();
  await knex("webhook_endpoints").where({ id }).update({ worker_id: workerId });
  await knex.raw("analyze webhook_endpoints");
  await knex.transaction(async (trx) => {
    await trx.raw("set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan");
    const common = { knex: trx, deliveriesKnex: trx, sealer: makeSealer(null), now: setting.webhooks.now, leaseMs: 60_000 };
    const store = workerStore({ ...common, reads: batchedReads(trx), workerId });
    expect(await store.load(id)).toMatchObject({ id });
    const health = { failing: "reset", failedAt: null, pausedUntil: null, disabledReason: null } as const;
    expect(await store.commit({ endpointId: id, position: 1, written: [], health })).toBe(true);
    const planOf = async (name: string, values: string): Promise<string> => {
      const sql = "select name from pg_prepared_statements where name like ? and statement like '%webhook_endpoints%'";
      const { rows } = await trx.raw(sql, [`${name}%`]);
      return JSON.stringify((await trx.raw(`explain execute "${rows[0].name}" (${values})`)).rows);
    };
    const plans = [
      await planOf("batched", `'{1}', '{${id}}', '{${workerId}}'`),
      await planOf("webhook commits", `'${workerId}', '[{"id":"${id}"}]', '[]'`),
    ];
    for (const plan of plans) expect(plan).toContain("webhook_endpoints_pkey");
    for (const plan of plans) expect(plan).not.toMatch(/webhook_endpoints_(worker|owner)/);
  });
});
