import { expect, test } from "vitest";

import { anotherStreamer, call, cleanUp, created, dataOf, ownStreamer, type Webhook } from "../../suite/client/events/webhooks.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("webhooks are listed oldest first and without their secrets", async (context) => {
  const list = async () => dataOf<Webhook[]>(await call(streamer(context), ["GET", ""]));
  const before = (await list()).map(({ id }) => id);
  const made: Webhook[] = [];
  for (const name of ["a", "b", "c"]) {
    const { secret: _, ...webhook } = await created(streamer(context), { url: `https://hooks.test/${name}` });
    made.push(webhook);
  }
  expect((await list()).filter(({ id }) => !before.includes(id))).toEqual(made);
});

test("webhooks of another streamer are not listed", async (context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.test/a" });
  const others = dataOf<Webhook[]>(await call(anotherStreamer(context), ["GET", ""]));
  expect(others.map((webhook) => webhook.id)).not.toContain(id);
});
