import { expect, test } from "vitest";
import { cleanUpWebhooks } from "../open-webhooks.ts";
import { openReceiver, sendAll, useTestWebhooks } from "../testing.ts";

const setting = useTestWebhooks();
const { opened } = setting;

/** An endpoint with two deliveries that succeeded. */
async function setUp() {
  const [owner, target, worker] = [await setting.webhooks.owner(), await openReceiver(), setting.webhooks.worker()];
  opened.push(target.close, worker.stop);
  const { id } = await setting.webhooks.endpoint(owner, target.url);
  const events = await setting.webhooks.donate(owner, 2);
  await sendAll(worker);
  return { owner, id, events, left: async () => (await setting.webhooks.deliveriesOf(id)).map(({ eventId }) => eventId).toReversed() };
}

/** Moves the time at which the delivery was written into the past, as the time that passes does. */
const age = (eventId: string | undefined, interval: string) =>
  setting.webhooks
    .knex("webhook_deliveries")
    .where({ event_id: eventId ?? "" })
    .update({
      created_at: setting.webhooks.knex.raw("now() - cast(? as interval)", [interval]),
    });

test("deliveries are deleted after 30 days, and not before", async () => {
  const { events, left } = await setUp();
  await age(events[0], "30 days 1 minute");
  await age(events[1], "29 days 23 hours");
  expect(await cleanUpWebhooks(setting.webhooks.knex)).toBe(false);
  expect(await left()).toEqual([events[1]]);
});

test("a deleted endpoint goes with its deliveries, other endpoints keep theirs", async () => {
  const [removed, kept] = [await setUp(), await setUp()];
  await setting.webhooks.endpoints.remove(removed.owner, removed.id);
  await cleanUpWebhooks(setting.webhooks.knex);
  expect(await removed.left()).toEqual([]);
  expect(await kept.left()).toEqual(kept.events);
  expect(await setting.webhooks.knex("webhook_endpoints").whereIn("id", [removed.id, kept.id]).pluck("id")).toEqual([kept.id]);
});

test("processes that have said nothing for an hour are forgotten", async () => {
  const [dead, alive] = ["01932f6e-8a00-7000-8000-000000000001", "01932f6e-8a00-7000-8000-000000000002"];
  const since = (interval: string) => setting.webhooks.knex.raw("now() - cast(? as interval)", [interval]);
  await setting.webhooks.knex("webhook_workers").insert([
    { id: dead, alive_until: since("61 minutes") },
    { id: alive, alive_until: since("59 minutes") },
  ]);
  await cleanUpWebhooks(setting.webhooks.knex);
  expect(await setting.webhooks.knex("webhook_workers").whereIn("id", [dead, alive]).pluck("id")).toEqual([alive]);
});
