import { expect, test } from "vitest";
import { forgetLateAnswers } from "./erased.ts";
import { openReceiver, sendAll, useTestWebhooks } from "./webhooks/testing.ts";

const setting = useTestWebhooks();
const { opened } = setting;

test("what a receiver answers to a late repetition of an old delivery, while its donation is erased, is erased", async () => {
  const { knex } = setting.webhooks;
  const receiver = await openReceiver(({ body }) => ({ status: 200, body }));
  const [owner, worker] = [await setting.webhooks.owner(), setting.webhooks.worker()];
  opened.push(receiver.close, worker.stop);
  const { id: endpointId } = await setting.webhooks.endpoint(owner, receiver.url);
  const [eventId = ""] = await setting.webhooks.donate(owner);
  await sendAll(worker);
  await knex("webhook_deliveries")
    .where({ event_id: eventId })
    .update({ created_at: knex.raw("now() - interval '2 days'") });
  await knex("donations").where({ id: eventId }).update({ donator_key: "e:erased" });
  const lastAttempt = async () => (await setting.webhooks.deliveriesOf(endpointId))[0]?.attempts.at(-1);
  const { at = 0, answer } = (await lastAttempt()) ?? {};
  expect(answer).toContain(eventId);
  await forgetLateAnswers(knex, owner.streamerId, at + 1);
  expect((await lastAttempt())?.answer).toBe(answer);
  await forgetLateAnswers(knex, owner.streamerId, at);
  expect(await lastAttempt()).toMatchObject({ at, answer: null });
});
