import { beforeEach, expect, test } from "vitest";
import { countEndpoints, oldestUndelivered } from "./gauges.ts";
import { type Answer, openReceiver, type Receiver, sendAll, useTestWebhooks } from "./testing.ts";
import type { Worker } from "./worker/worker.ts";

const setting = useTestWebhooks();
let answer: Answer;
let target: Receiver;
let worker: Worker;
beforeEach(async () => {
  answer = { status: 200 };
  target = await openReceiver(() => answer);
  worker = setting.webhooks.worker();
  setting.opened.push(target.close, worker.stop);
});
test("endpoints are counted as working, as failing since their last attempt failed, and as disabled; deleted ones are not", async () => {
  const owner = await setting.webhooks.owner();
  const count = () => countEndpoints(setting.webhooks.knex);
  expect(await count()).toEqual({ working: 0, failing: 0, disabled: 0 });
  const [first, second] = [await setting.webhooks.endpoint(owner, target.url), await setting.webhooks.endpoint(owner, target.url)];
  expect(await count()).toEqual({ working: 2, failing: 0, disabled: 0 });
  answer = { status: 500 };
  await setting.webhooks.donate(owner);
  await sendAll(worker);
  expect(await count()).toEqual({ working: 0, failing: 2, disabled: 0 });
  await setting.webhooks.endpoints.update(owner, first.id, { enabled: false });
  await setting.webhooks.endpoints.remove(owner, second.id);
  expect(await count()).toEqual({ working: 0, failing: 0, disabled: 1 });
});

test("the oldest event that waits for its first attempt at a working endpoint gives the age, and 0 is said when none waits", async () => {
  const owner = await setting.webhooks.owner();
  const age = () => oldestUndelivered(setting.webhooks.knex);
  await setting.webhooks.endpoint(owner, target.url);
  const of = (ids: string[]) => setting.webhooks.knex("donations").where("streamer_id", owner.streamerId).whereIn("id", ids);
  expect(await age()).toBe(0);
  const ids = await setting.webhooks.donate(owner, 2);
  await of(ids.slice(0, 1)).update({ received_at: setting.webhooks.knex.raw("now() - interval '90 seconds'") });
  expect(await age()).toBeGreaterThanOrEqual(90);
  expect(await age()).toBeLessThan(100);
  await sendAll(worker);
  expect(await age()).toBe(0);
});

test("an event that waits at a disabled endpoint, or of a type that the endpoint does not get, is not counted as undelivered", async () => {
  const owner = await setting.webhooks.owner();
  const { id } = await setting.webhooks.endpoint(owner, target.url);
  await setting.webhooks.endpoint(owner, target.url, ["goal.reached"]);
  await setting.webhooks.donate(owner);
  expect(await oldestUndelivered(setting.webhooks.knex)).toBeGreaterThan(0);
  await setting.webhooks.endpoints.update(owner, id, { enabled: false });
  expect(await oldestUndelivered(setting.webhooks.knex)).toBe(0);
});
