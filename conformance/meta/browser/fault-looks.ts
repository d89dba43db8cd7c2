// The variations of the streamers of `make faults`, and somebody who approves what some of them hold.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { components } from "../../../generated/api.d.ts";
import { send } from "../../suite/client/http-client.ts";
import { change, decide, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { pngOf, wavOf } from "../../suite/values/media.ts";
import type { LiveStreamer } from "./live-streamer.ts";

type As = LiveStreamer["as"];
type AlertFile = components["schemas"]["AlertFile"];

/** Amounts that are for the three variations, and one that is for the default look. A streamer's donations take turns. */
export const amountsOfLooks = [10, 110, 210, 310] as const;

/** Sets short alerts of three variations: one with an image and a sound of the streamer's, one with a text of its own, one without speech. */
export async function setLooks(as: As): Promise<void> {
  const [image, sound] = [await upload(as, pngOf(64, 64)), await upload(as, wavOf(4_044))]; // half a second
  const variations = [
    { name: "Files", from: 0, to: 99, image, sound, confetti: true, seconds: 3, style: { theme: "neon", enter: "zoom", leave: "fade" } },
    { name: "Text", from: 100, to: 199, template: "{name} – {amount}: {message}", seconds: 2, style: { theme: "paper", position: "top" } },
    { name: "Silent", from: 200, to: 299, speak: false, style: { theme: "pixel", enter: "bounce", leave: "flip" } },
  ];
  expect((await change({ minimumSeconds: 2, maximumSeconds: 5, variations }, as)).status).toBe(200);
}

/** Holds every alert until somebody decides. */
export async function setApproval(as: As): Promise<void> {
  expect((await change({ approval: "all", approvalSeconds: 3_600 }, as)).status).toBe(200);
}

/** Approves held alerts in their order, every fourth with its amount only, until there are no more to come. */
export async function approve(as: As, isOver: () => boolean): Promise<void> {
  for (let decided = 0; !isOver(); await sleep(500)) {
    const held = await queue(as)
      .then((reply) => queueOf(reply).held)
      .catch(() => []);
    for (const { donationId } of held) {
      const decision = decided % 4 === 3 ? "mask" : "approve";
      const isDecided = await decide(donationId, decision, as)
        .then(({ status }) => status < 300)
        .catch(() => false);
      if (!isDecided) break; // those behind it would play before it
      decided += 1;
    }
  }
}

async function upload(as: As, body: Buffer): Promise<string> {
  const reply = await send({
    method: "POST",
    path: "/api/v1/alert-files?name=look",
    headers: { "Content-Type": "application/octet-stream" },
    body,
    ...as,
  });
  expect(reply.status, reply.text).toBe(201);
  return (reply.body as { data: AlertFile }).data.id;
}
