import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeVoider } from "../corrections/void-donations.ts";
import { type Decision, decide, findHeld, findUnseen, settleHeld } from "./queue/approval.ts";
import { saveSettings } from "./queue/controls.ts";
import { type Overlay, readOverlay } from "./queue/overlay.ts";
import { readQueue } from "./queue/read-queue.ts";
import { connectPage, useOverlayFixture } from "./testing.ts";

const fixture = useOverlayFixture();

/** What an interval task of any process does. */

/** Resolves to the streamers whose queues changed. */
async function sweep(): Promise<string[]> {
  const changed: string[] = [];
  await settleHeld(fixture.stepDeps, (streamerId) => changed.push(streamerId));
  return changed;
}

const timeOut = (streamerId: string) =>
  fixture.knex.raw("update held_alerts set decide_at = clock_timestamp() - interval '1 ms' where streamer_id = ?", [streamerId]);

const decideOn = (streamerId: string, id: string, decision: Decision) => decide(fixture.stepDeps, decision, { streamerId, donationId: id });

/** A streamer with one held alert. */
async function hold(settings: Parameters<typeof saveSettings>[2] = {}): Promise<{ streamerId: string; id: string }> {
  const streamerId = await fixture.newStreamer();
  await saveSettings(fixture.knex, streamerId, { approval: "all", ...settings });
  const id = await fixture.donate(streamerId);
  await sweep();
  expect(await fixture.alertOf(id)).toMatchObject({ status: "held" });
  return { streamerId, id };
}

test("donations are held while nobody has decided about their alerts, for their streamer alone", async () => {
  const [one, other] = [await hold(), await hold()];
  expect([...(await findHeld(fixture.knex, one.streamerId, [one.id, other.id]))]).toEqual([one.id]);
  await decideOn(one.streamerId, one.id, "approve");
  expect((await findHeld(fixture.knex, one.streamerId, [one.id])).size).toBe(0);
});

test("an alert that has timed out is decided by the time-out, even if a decision comes before any process has noticed it", async () => {
  const { streamerId, id } = await hold({ onTimeout: "drop" });
  await timeOut(streamerId);
  expect(await decideOn(streamerId, id, "approve")).toBe("conflict");
  expect(await fixture.alertOf(id)).toMatchObject({ status: "skipped", reason: "timed_out" });
});

test("a held alert outlasts every process, and any other one settles its time-out", async () => {
  const { streamerId, id } = await hold({ onTimeout: "show" });
  expect(await sweep()).toEqual([]);
  await timeOut(streamerId);
  await Promise.all([sweep(), sweep(), sweep()]);
  expect(await fixture.alertOf(id)).toMatchObject({ status: "queued" });
  expect(await fixture.states(streamerId)).toEqual(["queued"]);
});

test("alerts are examined once: a sweep without new donations changes nothing", async () => {
  const streamerId = await fixture.newStreamer();
  await saveSettings(fixture.knex, streamerId, { approval: "matching", blockedWords: ["spam"] });
  await fixture.donate(streamerId, { message: "fine" });
  await sweep();
  const version = async () => (await fixture.knex("overlays").where("streamer_id", streamerId).first("version")).version;
  const before = await version();
  await sweep();
  expect(await version()).toBe(before);
});

test("more alerts than one sweep examines are held by those that follow", async () => {
  const streamerId = await fixture.newStreamer();
  await saveSettings(fixture.knex, streamerId, { approval: "all" });
  for (let i = 0; i < 205; i += 1) await fixture.donate(streamerId);
  await sweep();
  await sweep();
  expect(await readQueue(fixture.knex, streamerId)).toMatchObject({ waitingCount: 0, heldCount: 205 });
});

type Action = Decision | "time out" | "sweep" | "void" | "kill" | "play";
const actions: readonly Action[] = ["approve", "mask", "deny", "time out", "sweep", "void", "kill", "play"];

test("a held alert, in any order of decisions, time-outs, voids, kills and plays, also at once, is shown at most once and never after its end", {
  timeout: 120_000,
}, async () => {
  const runs = fc.record({
    onTimeout: fc.constantFrom("show", "drop", "mask"),
    rounds: fc.array(fc.uniqueArray(fc.constantFrom(...actions), { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(runs, async ({ onTimeout, rounds }) => expectOneEnd(await hold({ onTimeout: onTimeout as "show" }), rounds)),
    { numRuns: Number(process.env.RUNS ?? 40) },
  );
});

async function expectOneEnd({ streamerId, id }: { streamerId: string; id: string }, rounds: readonly Action[][]): Promise<void> {
  let hub = fixture.newHub();
  const seen: { at: number; ended: boolean }[] = [];
  let accepted = 0;
  let overAt: string | null = null;

  const play = async () => {
    const page = await connectPage({ knex: fixture.knex, hub, streamerId });
    const playback = ((await page.nextOf("snapshot")) as { playback: { id: string } | null }).playback;
    if (playback && (await page.started(playback.id)) !== "conflict") {
      const ended = await page.ended(playback.id);
      if (ended !== "conflict") seen.push({ at: seen.length, ended: true });
    }
    page.disconnect();
  };
  const run: Record<Action, () => Promise<unknown>> = {
    approve: () => count(decideOn(streamerId, id, "approve")),
    mask: () => count(decideOn(streamerId, id, "mask")),
    deny: () => decideOn(streamerId, id, "deny"),
    "time out": () => timeOut(streamerId),
    sweep,
    void: () => makeVoider(fixture.knex, hub.changed).void(streamerId, [id], { reason: "fraud", note: null }),
    kill: async () => {
      hub = fixture.newHub(); // the one before does nothing more: it has no timers and no pages
    },
    play,
  };
  async function count(decision: Promise<string>): Promise<void> {
    if ((await decision) === "done") accepted += 1;
  }

  for (const round of rounds) {
    const before = await fixture.alertOf(id);
    await Promise.all(round.map((action) => run[action]()));
    const alert = await fixture.alertOf(id);
    if (overAt !== null) expect(alert?.status, "what has ended stays ended").toBe(overAt);
    if (alert && ["skipped", "shown"].includes(alert.status)) overAt = alert.status;
    if (before?.status === "skipped") expect(seen.length, "nothing is shown after a denial, a drop or a void").toBeLessThanOrEqual(0);
  }
  expect(accepted).toBeLessThanOrEqual(1);
  expect(seen.length).toBeLessThanOrEqual(1);
  expect((await fixture.states(streamerId)).length).toBeLessThanOrEqual(1);
  await sleep(0);
}

test("widgets show no text of a donation before its alert is approved, nor after it was denied or masked", async () => {
  const streamerId = await fixture.newStreamer();
  await saveSettings(fixture.knex, streamerId, { approval: "all" });
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) ids.push(await fixture.donate(streamerId));
  const [approved = "", denied = "", masked = "", late = ""] = ids;
  const unseen = async () => findUnseen(fixture.knex, (await readOverlay(fixture.knex, streamerId)) as Overlay, ids);
  expect(await unseen(), "not examined yet").toEqual(new Set(ids));
  await sweep();
  expect(await unseen(), "held").toEqual(new Set(ids));
  await decideOn(streamerId, approved, "approve");
  await decideOn(streamerId, denied, "deny");
  await decideOn(streamerId, masked, "mask");
  await timeOut(streamerId);
  await sweep();
  expect(await unseen()).toEqual(new Set([denied, masked, late]));
});
