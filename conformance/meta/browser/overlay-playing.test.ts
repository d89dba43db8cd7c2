// The overlay page plays an alert: what it shows, what is heard, what it acknowledges.

import { describe, expect, test } from "vitest";
import { playbackOf, tone } from "./fake-overlay.ts";
import { injections } from "./injections.ts";
import { setUpOverlay, speech } from "./overlay-setup.ts";
import { events, journal, openOverlay, textOf, until, untilEvent } from "./overlay-tab.ts";
import { startChromium } from "./start-chromium.ts";

const overlay = setUpOverlay();
const { open, untilConnected, steps, untilStep, untilStarted, setMinimum } = overlay;

test("name and message of donators are shown as text, never run as markup", async () => {
  const tab = await open();
  await tab.page.evaluate("window.violations = 0; addEventListener('securitypolicyviolation', () => window.violations++)");
  const elements = await tab.page.evaluate("document.querySelectorAll('*').length");
  const state = "[window.violations, window.ran ?? null, document.querySelectorAll('*:not(audio)').length]";
  await untilConnected();
  setMinimum(60);
  for (const text of injections) {
    const playback = playbackOf({ donatorName: text.slice(0, 50), message: text });
    overlay.fake.play(playback);
    await untilStarted(playback);
    expect([await textOf(tab, "name"), await textOf(tab, "text")]).toEqual([text.slice(0, 50), text]);
    await expect.poll(() => tab.page.evaluate(state), { message: text }).toEqual([0, null, elements]);
    overlay.fake.stop(playback.id);
  }
  expect(tab.complaints).toEqual([]);
});

test("an alert shows name, amount and message, announces them to screen readers, and disappears after its end", async () => {
  const tab = await open();
  await untilConnected();
  overlay.fake.play(playbackOf({ donatorName: "  ผู้ใหญ่\u202E ใจดี ", amount: 1234.5, message: "น้ำใจ\nงาม" }));
  await untilEvent(tab, "started");
  expect([await textOf(tab, "name"), await textOf(tab, "amount"), await textOf(tab, "text")]).toEqual([
    "ผู้ใหญ่ ใจดี",
    "฿1,234.50",
    "น้ำใจ งาม",
  ]);
  await expect.poll(() => tab.page.locator("[role=status][aria-live=polite]").textContent()).toContain("฿1,234.50");
  await untilEvent(tab, "ended");
  await expect.poll(() => textOf(tab, "name")).toBeNull();
  expect((await tab.page.locator("[role=status]").textContent())?.trim()).not.toContain("฿");
  await until(steps, (seen) => seen.length === 2);
  expect(steps()).toEqual(["started", "ended"]);
  expect(tab.complaints).toEqual([]);
});

test("the end of an alert is acknowledged after chime and speech were played to their end", async () => {
  const tab = await open();
  await untilConnected();
  overlay.fake.speech = tone(3);
  overlay.fake.play(playbackOf({ speech: { ...speech, durationMs: 3_000 } }));
  await untilStep("ended");
  const seen = await journal(tab);
  const [chime, speechEntry] = seen.filter(({ event }) => event === "sound");
  expect([chime?.sound, chime?.outcome, speechEntry?.sound, speechEntry?.outcome]).toEqual(["chime", "ended", "speech", "ended"]);
  expect(chime?.seconds).toBeGreaterThan(1);
  expect(speechEntry?.seconds).toBeGreaterThan(2.9);
  const ended = overlay.fake.acknowledgements.find(({ step }) => step === "ended");
  const started = overlay.fake.acknowledgements.find(({ step }) => step === "started");
  expect(ended?.at).toBeGreaterThan(speechEntry?.at ?? Number.NaN);
  expect((ended?.at ?? 0) - (started?.at ?? 0)).toBeGreaterThan(4_000);
  expect(tab.complaints).toEqual([]);
});

test("speech is played at the speed of the settings, at its own pitch, and the chime at its own speed", async () => {
  const tab = await open();
  await untilConnected();
  const { snapshot } = overlay.fake;
  overlay.fake.send("settings", { paused: false, hidden: false, settings: { ...snapshot.settings, speechSpeed: 1.5 } });
  overlay.fake.speech = tone(3);
  const playing = () =>
    tab.page.evaluate(
      "(({ dataset, playbackRate, preservesPitch }) => [dataset.sound, playbackRate, preservesPitch])(document.querySelector('audio'))",
    );
  overlay.fake.play(playbackOf({ speech: { ...speech, durationMs: 3_000 } }));
  await expect.poll(() => playing().catch(() => null)).toEqual(["chime", 1, true]);
  await expect.poll(() => playing().catch(() => null)).toEqual(["speech", 1.5, true]);
  await untilStep("ended");
  const spoken = (await journal(tab)).find(({ sound }) => sound === "speech");
  expect(spoken?.outcome).toBe("ended");
});

test("a skipped alert disappears at once, and its end is not acknowledged", async () => {
  const tab = await open();
  await untilConnected();
  const playback = playbackOf({ speech });
  overlay.fake.play(playback);
  await untilEvent(tab, "started");
  overlay.fake.stop(playback.id);
  await untilEvent(tab, "stopped");
  await expect.poll(() => textOf(tab, "name")).toBeNull();
  await expect.poll(() => tab.page.locator("audio").count()).toBe(0);
  // The first one would have ended by itself before the second one, which is spoken for longer.
  const next = playbackOf({ speech: { ...speech, durationMs: 3_000 } });
  overlay.fake.speech = tone(3);
  overlay.fake.play(next);
  await untilStep("ended");
  expect(overlay.fake.acknowledgements.map(({ playbackId, step }) => [playbackId, step])).toEqual([
    [playback.id, "started"],
    [next.id, "started"],
    [next.id, "ended"],
  ]);
});

describe("missing sound", () => {
  test.each<[string, () => void]>([
    ["empty", () => void (overlay.fake.speech = Buffer.alloc(0))],
    ["not audio", () => void (overlay.fake.speech = Buffer.from("this is not audio"))],
  ])("an alert whose speech file is %s is shown to its end", async (_title, breakSpeech) => {
    const tab = await open();
    await untilConnected();
    breakSpeech();
    overlay.fake.play(playbackOf({ speech }));
    await untilStep("ended");
    await expect.poll(() => events(tab)).toEqual(["shown", "started", "ended"]);
  });

  test("a browser that blocks sound shows the alert silently", async () => {
    const strict = await startChromium();
    try {
      const tab = await openOverlay(strict, overlay.fake);
      await untilConnected();
      overlay.fake.play(playbackOf({ speech }));
      await untilStep("ended");
      const sounds = (await journal(tab)).filter(({ event }) => event === "sound");
      expect(sounds.map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
    } finally {
      await strict.close();
    }
  });
});
