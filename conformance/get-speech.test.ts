import { expect, test } from "vitest";

import { expectProblem } from "./harness/api.ts";
import { type Reply, send } from "./harness/client.ts";
import { overlayKeyOf } from "./harness/overlay.ts";

const speech = (id: string, key: string): Promise<Reply> => send({ path: `/api/v1/overlay/speech/${id}`, key });

test.for(["0".repeat(64), "x", "A".repeat(64), "0".repeat(65), "%00", "01932f6e-8a00-7000-8000-3f1e5a7c9b21"])(
  "what is no speech of this streamer is speech_not_found: %s",
  async (id, context) => {
    const reply = await speech(id, overlayKeyOf(context));
    expectProblem(reply, 404, "speech_not_found");
    expect(reply.headers["cache-control"]).toBe("no-store");
  },
);
