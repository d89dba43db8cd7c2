import { test } from "vitest";

import { expectProblem } from "../../harness/client/api.ts";
import { call, cleanUp, created, idsOfNothing, ownStreamer } from "../../harness/events/webhooks.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("a disabled webhook is sent nothing: webhook_disabled", async (context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.example/a" });
  await call(streamer(context), ["PATCH", `/${id}`], { enabled: false });
  expectProblem(await call(streamer(context), ["POST", `/${id}/deliveries/${id}/redeliver`]), 409, "webhook_disabled");
});

test.for(idsOfNothing)("the id %s names no delivery: delivery_not_found", async (nothing, context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.example/a" });
  for (const path of [`/${id}/deliveries/${nothing}/redeliver`, `/${nothing}/deliveries/${id}/redeliver`])
    expectProblem(await call(streamer(context), ["POST", path]), 404, "delivery_not_found");
});
