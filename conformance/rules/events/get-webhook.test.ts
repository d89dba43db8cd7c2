import { expect, test } from "vitest";

import { expectProblem } from "../../suite/client/api.ts";
import { call, cleanUp, created, find, ownStreamer } from "../../suite/client/events/webhooks.ts";
import { addKey } from "../../suite/client/operator.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("a webhook is returned as it was created, without its secret", async (context) => {
  const { secret: _, ...webhook } = await created(streamer(context), { url: "https://hooks.test/a", description: "ไฟบนเวที" });
  expect(await find(streamer(context), webhook.id)).toEqual(webhook);
});

test("a webhook belongs to its application: another streamer's and another application's key find nothing", async (context) => {
  const application = await addKey(operatorOf(context), "main", "write:webhooks", "other webhooks");
  const { id } = await created(target().keys.main, { url: "https://hooks.test/a" });
  for (const key of [streamer(context), application]) expectProblem(await call(key, ["GET", `/${id}`]), 404, "webhook_not_found");
  expect((await call(target().keys.main, ["DELETE", `/${id}`])).status).toBe(204);
});
