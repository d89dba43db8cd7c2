import { expect, test } from "vitest";
import type { StoredPlayback } from "../../alerts/queue/playbacks.ts";
import { answer, openStudio } from "../testing.ts";
import { playback, queue, settings } from "../testing-examples.ts";

const active = (changes: Partial<StoredPlayback>): StoredPlayback => ({
  ...{ id: "p1", donationId: "d1", donatorName: "Malee", amount: 250, currency: "THB", message: "สู้ๆ นะ", source: "external" },
  ...{ channel: "external", sequence: 1, state: "playing", replay: false, faster: false, approved: false, masked: false },
  ...{ speech: null, variation: null, attempts: 0, losses: 0, playerId: "o1", leasedAt: 0, allowedMs: 60_000 },
  startedAt: Date.parse("2026-11-21T03:00:00.000Z"),
  ...changes,
});

test.each([
  ["of the time on screen", {}, "2026-11-21T03:00:06.000Z"],
  ["of the speech, where that is longer", { speech: { id: "s1", mime: "audio/wav", durationMs: 12_500 } }, "2026-11-21T03:00:12.500Z"],
])("what plays has a line that fills until the end %s, and says that end without a script", async (_, changes, to) => {
  const getAlertQueue = answer(queue({ playing: playback({ status: "playing" }) }));
  const getAlertSettings = answer({ ...settings, minimumSeconds: 6, speechSpeed: 1 });
  const studio = (playing: StoredPlayback | null) =>
    openStudio({ answers: { getAlertQueue, getAlertSettings }, activePlayback: async () => playing });
  for (const path of ["/studio", "/studio/home", "/studio/dock"])
    expect((await studio(active(changes)).get(path)).html).toContain(
      `data-from="2026-11-21T03:00:00.000Z" data-to="${to}">Ends at about <time datetime="${to}">`,
    );
  for (const other of [null, active({ id: "p2" }), active({ startedAt: null })])
    expect((await studio(other).get("/studio")).html).not.toContain("data-from");
});
