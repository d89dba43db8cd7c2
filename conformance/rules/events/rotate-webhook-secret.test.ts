import { expect, test } from "vitest";

import { expectProblem } from "../../harness/client/api.ts";
import { call, cleanUp, created, dataOf, idsOfNothing, ownStreamer, type WebhookWithSecret } from "../../harness/events/webhooks.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("a rotation answers a new secret, and the previous one ends a day later", async (context) => {
  const before = await created(streamer(context), { url: "https://hooks.example/a" });
  const after = dataOf<WebhookWithSecret>(await call(streamer(context), ["POST", `/${before.id}/rotate-secret`]));
  expect(after.secret).not.toBe(before.secret);
  const left = Date.parse(after.previousSecretUntil ?? "") - Date.now();
  expect(left).toBeGreaterThan(23.9 * 3_600_000);
  expect(left).toBeLessThan(24.1 * 3_600_000);
});

test.for(idsOfNothing)("the id %s names no webhook: webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["POST", `/${id}/rotate-secret`]), 404, "webhook_not_found"),
);
