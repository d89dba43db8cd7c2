import { beforeEach, expect, test } from "vitest";

import { change, defaults, freshQueue, settings, settingsOf } from "../../suite/client/overlay/alert-controls.ts";
import { keyOf } from "../../suite/values/target.ts";

beforeEach(() => freshQueue());

test("a streamer who has set nothing has the defaults of the contract", async (context) =>
  expect(settingsOf(await settings({ key: keyOf(context, "other") }))).toEqual(defaults));

test("all settings that were set are read back", async () => {
  const all = {
    minimumAmount: 0.01,
    blockedWords: ["สแปม", "สแปม", " "],
    volume: 0,
    speech: false,
    minimumSeconds: 2,
    maximumSeconds: 120,
    pauseSeconds: 60,
    fasterFrom: 500,
    askFrom: 500,
    speechMinimumAmount: 0.5,
    speechVolume: 0,
    speechSpeed: 0.5,
    voice: "th-TH-PremwadeeNeural",
    blockedWordAction: "hold",
    approval: "matching",
    approvalSeconds: 3600,
    onTimeout: "mask",
    goal: { title: "ไมค์ 🎤", target: 0.5, from: "2024-02-29" },
    goals: [
      { id: "0", title: "ไมค์ 🎤", target: 0.5, from: "2024-02-29" },
      { id: "trip-2", title: "ทริป", target: 7, from: "2024-03-01", to: "2024-03-01" },
    ],
    variations: [],
  };
  expect(settingsOf(await change(all))).toEqual(all);
  expect(settingsOf(await settings())).toEqual(all);
});
