import { afterEach, beforeEach, expect, test } from "vitest";
import { useDatabase } from "../../db/testing.ts";
import { countEndpoints, oldestUndelivered } from "./gauges.ts";
import { type Answer, openReceiver, openTestWebhooks, type Receiver, sendAll } from "./testing.ts";
import type { Worker } from "./worker.ts";

let webhooks: ReturnType<typeof openTestWebhooks>;
let answer: Answer;
let target: Receiver;
let worker: Worker;
useDatabase(async (database) => {
  webhooks = openTestWebhooks(database);
});
beforeEach(async () => {
  answer = { status: 200 };
  target = await openReceiver(() => answer);
  worker = webhooks.worker();
});
afterEach(async () => {
  await worker.stop();
  target.close();
  await webhooks.knex("webhook_endpoints").update({ deleted_at: new Date() });
});

test("endpoints are counted as working, as failing since their last attempt failed, and as disabled; deleted ones are not", async () => {
  const owner = await webhooks.owner();
  const count = () => countEndpoints(webhooks.knex);
  expect(await count()).toEqual({ working: 0, failing: 0, disabled: 0 });
  const [first, second] = [await webhooks.endpoint(owner, target.url), await webhooks.endpoint(owner, target.url)];
  expect(await count()).toEqual({ working: 2, failing: 0, disabled: 0 });
  answer = { status: 500 };
  await webhooks.donate(owner);
  await sendAll(worker);
  expect(await count()).toEqual({ working: 0, failing: 2, disabled: 0 });
  await webhooks.endpoints.update(owner, first.id, { enabled: false });
  await webhooks.endpoints.remove(owner, second.id);
  expect(await count()).toEqual({ working: 0, failing: 0, disabled: 1 });
});

test("the oldest event that waits for its first attempt at a working endpoint gives the age, and 0 is said when none waits", async () => {
  const owner = await webhooks.owner();
  const age = () => oldestUndelivered(webhooks.knex);
  await webhooks.endpoint(owner, target.url);
  const of = (ids: string[]) => webhooks.knex("donations").where("streamer_id", owner.streamerId).whereIn("id", ids);
  expect(await age()).toBe(0);
  const ids = await webhooks.donate(owner, 2);
  await of(ids.slice(0, 1)).update({ received_at: webhooks.knex.raw("now() - interval '90 seconds'") });
  expect(await age()).toBeGreaterThanOrEqual(90);
  expect(await age()).toBeLessThan(100);
  await sendAll(worker);
  expect(await age()).toBe(0);
});

test("an event that waits at a disabled endpoint, or of a type that the endpoint does not get, is not counted as undelivered", async () => {
  const owner = await webhooks.owner();
  const { id } = await webhooks.endpoint(owner, target.url);
  await webhooks.endpoint(owner, target.url, ["goal.reached"]);
  await webhooks.donate(owner);
  expect(await oldestUndelivered(webhooks.knex)).toBeGreaterThan(0);
  await webhooks.endpoints.update(owner, id, { enabled: false });
  expect(await oldestUndelivered(webhooks.knex)).toBe(0);
});
