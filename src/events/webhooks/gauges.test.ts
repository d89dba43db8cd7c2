import { beforeEach, expect, test } from "vitest";
import type { Owner } from "./endpoints.ts";
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

const nothing = { waiting: 0, retrying: 0, failing: 0, disabled: 0 };

/** The states in which events have not arrived, with minutes of age. */
async function minutes() {
  const ages = Object.entries(await oldestUndelivered(setting.webhooks.knex));
  return Object.fromEntries(ages.map(([state, seconds]) => [state, Math.round(seconds / 60)]));
}

/** Donations that were recorded so many minutes ago, the oldest first. */
async function donateEarlier(owner: Owner, ...ages: number[]) {
  const { knex } = setting.webhooks;
  const ids = await setting.webhooks.donate(owner, ages.length);
  const earlier = (index: number) => knex.raw("now() - cast(? as interval)", [`${ages[index]} minutes`]);
  for (const [index, id] of ids.entries())
    await knex("donations")
      .where({ streamer_id: owner.streamerId, id })
      .update({ received_at: earlier(index) });
}

test("the oldest event that waits for its first attempt at a working endpoint gives the age, and 0 is said when none waits", async () => {
  const owner = await setting.webhooks.owner();
  await setting.webhooks.endpoint(owner, target.url);
  expect(await minutes()).toEqual(nothing);
  await donateEarlier(owner, 90, 0);
  expect(await minutes()).toEqual({ ...nothing, waiting: 90 });
  await sendAll(worker);
  expect(await minutes()).toEqual(nothing);
});

test("the oldest event whose attempt failed gives the age of what is retried, until it arrives or the endpoint is disabled", async () => {
  const owner = await setting.webhooks.owner();
  const { id } = await setting.webhooks.endpoint(owner, target.url);
  answer = { status: 500 };
  await donateEarlier(owner, 80, 70);
  await sendAll(worker);
  expect(await minutes()).toEqual({ ...nothing, retrying: 80 });
  await donateEarlier(owner, 60);
  expect(await minutes()).toEqual({ ...nothing, retrying: 80, failing: 60 });
  await setting.webhooks.endpoints.update(owner, id, { enabled: false });
  expect(await minutes()).toEqual({ ...nothing, disabled: 60 });
  await setting.webhooks.endpoints.remove(owner, id);
  expect(await minutes()).toEqual(nothing);
});

test("an event of a type that the endpoint does not get is not counted as undelivered", async () => {
  const owner = await setting.webhooks.owner();
  const { id } = await setting.webhooks.endpoint(owner, target.url, ["goal.reached"]);
  await donateEarlier(owner, 50);
  expect(await minutes()).toEqual(nothing);
  await setting.webhooks.endpoints.update(owner, id, { enabled: false });
  expect(await minutes()).toEqual(nothing);
});
