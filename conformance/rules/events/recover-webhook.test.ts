import { test } from "vitest";

import { expectProblem } from "../../harness/client/api.ts";
import { call, cleanUp, created, idsOfNothing, ownStreamer } from "../../harness/events/webhooks.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("a disabled webhook is sent nothing: webhook_disabled", async (context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.example/a" });
  await call(streamer(context), ["PATCH", `/${id}`], { enabled: false });
  expectProblem(await call(streamer(context), ["POST", `/${id}/recover`], { since: "2026-11-01T00:00Z" }), 409, "webhook_disabled");
});

test.for(idsOfNothing)("the id %s names no webhook: webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["POST", `/${id}/recover`], { since: "2026-11-01T00:00Z" }), 404, "webhook_not_found"),
);
