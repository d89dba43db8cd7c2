import { test } from "vitest";

import { expectProblem } from "../../harness/client/api.ts";
import { call, cleanUp, created, idsOfNothing, ownStreamer } from "../../harness/events/webhooks.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("a cursor is good for its webhook and its filter alone: invalid_cursor", async (context) => {
  const [one, other] = [
    await created(streamer(context), { url: "https://hooks.example/a" }),
    await created(streamer(context), { url: "https://hooks.example/b" }),
  ];
  for (const { id } of [one, other])
    expectProblem(await call(streamer(context), ["GET", `/${id}/deliveries?cursor=bm90aGluZw`]), 400, "invalid_cursor");
});

test.for(idsOfNothing)("the id %s names no webhook: webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["GET", `/${id}/deliveries`]), 404, "webhook_not_found"),
);
