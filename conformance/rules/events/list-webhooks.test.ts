import { expect, test } from "vitest";

import { call, cleanUp, created, dataOf, ownStreamer, type Webhook } from "../../suite/client/events/webhooks.ts";
import { target } from "../../suite/values/target.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("webhooks are listed oldest first and without their secrets", async (context) => {
  const made: Webhook[] = [];
  for (const name of ["a", "b", "c"]) {
    const { secret: _, ...webhook } = await created(streamer(context), { url: `https://hooks.test/${name}` });
    made.push(webhook);
  }
  expect(dataOf(await call(streamer(context), ["GET", ""]))).toEqual(made);
});

test("webhooks of another streamer are not listed", async (context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.test/a" });
  const others = dataOf<Webhook[]>(await call(target().keys.main, ["GET", ""]));
  expect(others.map((webhook) => webhook.id)).not.toContain(id);
});
