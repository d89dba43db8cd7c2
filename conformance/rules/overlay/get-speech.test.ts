import { afterEach, beforeEach, expect, test } from "vitest";
import { expectProblem } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { donate, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow, overlayKeyOf } from "../../suite/client/overlay/overlay-page.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { keyOf } from "../../suite/values/target.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const speech = (id: string, key: string): Promise<Reply> => send({ path: `/api/v1/overlay/speech/${id}`, key });

test.for(["0".repeat(64), "x", "A".repeat(64), "0".repeat(65), "%00", "01932f6e-8a00-7000-8000-3f1e5a7c9b21"])(
  "an address that names no speech of this streamer is refused with speech_not_found: %s",
  async (id, context) => {
    const reply = await speech(id, overlayKeyOf(context));
    expectProblem(reply, 404, "speech_not_found");
    expect(reply.headers["cache-control"]).toBe("no-store");
  },
);

test("the speech of a playback is audio that may be cached for ever; for other streamers it does not exist", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await donate({ message: "สวัสดี" });
  const { speech: said } = await page.next("playback");
  if (!said) return context.skip("not applicable: this server does not speak");
  const reply = await speech(said.id, overlayKeyOf(context));
  expect([reply.status, reply.headers["content-type"]]).toEqual([200, said.mime]);
  expect(reply.headers["cache-control"]).toBe("private, max-age=31536000, immutable");
  expect(reply.text.length).toBeGreaterThan(1_000);
  expectProblem(await speech(said.id, keyOf(context, "otherOverlay")), 404, "speech_not_found");
});
