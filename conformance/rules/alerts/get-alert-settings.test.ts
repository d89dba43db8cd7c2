import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { get, readDonation } from "../../suite/client/api.ts";
import { change, defaults, donate, freshQueue, settings, settingsOf } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import { keyOf, target } from "../../suite/values/target.ts";

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
    goal: { title: " ไมค์\u00a0🎤 ", target: 0.0005, from: "2024-02-29" },
    goals: [
      { id: "0", title: " ไมค์\u00a0🎤 ", target: 0.0005, from: "2024-02-29" },
      { id: "trip-2", title: "ทริป", target: 7, from: "2024-03-01", to: "2024-03-01" },
    ],
    variations: [],
  };
  expect(settingsOf(await change(all))).toEqual(all);
  expect(settingsOf(await settings())).toEqual(all);
});

afterEach(() => closePages());

const words = ["spam", "สแปม", "น้ำ", "แปลกแปลก"];

/** Characters that neither a reader sees nor speech says: parts of emoji, joiners, directions, tags, private ones and those that nobody has assigned. */
const leftOut = fc.oneof(
  fc.constantFrom(
    "\u{1f3fb}",
    "\u{1f3ff}",
    "\u{1f1e6}",
    "\u{1f9b0}",
    "\u20e3",
    "\ufe0f",
    "\u200b",
    "\u200d",
    "\u2060",
    "\u202e",
    "\u00ad",
    "\u034f",
  ),
  fc.constantFrom("\u{e0041}", "\u{e0100}", "\u3164", "\u0001", "\u180e", "\ufeff", "\ue000", "\u{10fffd}", "\u{3fffd}", "\u0378"),
);

const evasion = fc
  .tuple(fc.constantFrom(...words), fc.array(leftOut, { minLength: 1, maxLength: 6 }))
  .map(([word, inserted]) =>
    [...word].flatMap((letter, index) => [letter, index < word.length - 1 ? (inserted[index % inserted.length] ?? "") : ""]).join(""),
  );

test("a blocked word keeps an alert off the stream, whatever speech or the card leaves out stands in it, in a message and in a name", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await change({ blockedWords: words });
  const texts = [
    ...fc.sample(evasion, { seed: target().seed, numRuns: 12 }),
    "น\u0e4d\u0e49\u0e32",
    "น\u0e49\u0e4d\u0e32",
    "น้้้้ำ",
    "sp😀am",
    "แปลกๆ",
  ];
  const refused = await Promise.all(
    texts.map((text, index) => donate(index % 2 === 0 ? { message: `buy ${text} now` } : { donatorName: `Mr ${text}` })),
  );
  const clean = await donate({ message: "buy ham now, was sad" });
  expect((await show(page)).donationId).toBe(clean.id);
  for (const { id, message, donatorName } of refused)
    expect(readDonation(await get(id)).alert, `${donatorName}: ${message}`).toMatchObject({ status: "skipped", reason: "filtered" });
});

test("mask_word hides a blocked word with whatever stands in it that speech or the card leaves out", async (context) => {
  await change({ blockedWords: words, blockedWordAction: "mask_word" });
  const page = await follow({ key: overlayKeyOf(context) });
  for (const text of fc.sample(evasion, { seed: target().seed, numRuns: 6 })) {
    await donate({ donatorName: `Mr ${text} Jr`, message: `buy ${text} now` });
    const { donatorName, message } = await show(page);
    // A word that only speech makes is in no letters of the text: all of it is hidden.
    expect(["Mr *** Jr", "***"], JSON.stringify(text)).toContain(donatorName);
    expect(["buy *** now", "***"], JSON.stringify(text)).toContain(message);
  }
});
