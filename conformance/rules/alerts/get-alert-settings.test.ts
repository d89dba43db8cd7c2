// Settings of alerts: how they are read, and what blocked words, pauses and speech do.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectProblem, get, readDonation } from "../../suite/client/api.ts";
import { change, control, defaults, donate, freshQueue, settings, settingsOf } from "../../suite/client/overlay/alert-controls.ts";
import {
  acknowledge,
  closePages,
  firstPlayback,
  follow,
  overlayKeyOf,
  type Page,
  type Playback,
  show,
} from "../../suite/client/overlay/overlay-page.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { keyOf, target } from "../../suite/values/target.ts";

beforeEach(() => freshQueue());

test("a streamer who has set nothing has the defaults of the contract", async (context) => {
  const present = settingsOf(await settings({ key: keyOf(context, "other") }));
  const maySomebodyHaveSet = target().operator === null && !isDeepStrictEqual(present, defaults);
  if (maySomebodyHaveSet) context.skip("not run: the streamer of OTHER_API_KEY has settings that are not the defaults");
  expect(present).toEqual(defaults);
});

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

describe("the ETag of the settings", () => {
  const tagOf = (reply: Reply): string => String(reply.headers.etag);
  const changeIf = (tag: string, volume: number): Promise<Reply> => change({ volume }, { headers: { "If-Match": tag } });

  test("settings, and the answer to a change, have an ETag that is the same until something is changed", async () => {
    const before = await settings();
    expect(tagOf(before)).toMatch(/^"[\x21\x23-\x7e]+"$/); // strong: If-Match compares no other (RFC 9110 13.1.1)
    expect(tagOf(await settings())).toBe(tagOf(before));
    const changed = await change({ volume: settingsOf(before).volume === 1 ? 2 : 1 });
    expect(tagOf(changed)).not.toBe(tagOf(before));
    expect(tagOf(await settings())).toBe(tagOf(changed));
  });

  test("a change with If-Match is made where that has the current ETag, alone, in a list or as * (RFC 9110 13.1.1)", async () => {
    for (const [volume, write] of [(tag: string) => tag, (tag: string) => `"x", ${tag}`, () => "*"].entries())
      expect(settingsOf(await changeIf(write(tagOf(await settings())), volume)).volume).toBe(volume);
  });

  test("a change with If-Match of an earlier ETag, or of another or a weak one, is refused with precondition_failed and changes nothing", async () => {
    const earlier = tagOf(await change({ volume: 1 }));
    const current = await change({ volume: 2 });
    for (const tag of [earlier, '"x"', `W/${tagOf(current)}`]) expectProblem(await changeIf(tag, 3), 412, "precondition_failed");
    expect(settingsOf(await settings())).toEqual(settingsOf(current));
  });

  test("one of several changes in the same moment with one ETag in If-Match is made, and the others are refused", async () => {
    const tag = tagOf(await settings());
    const replies = await Promise.all([11, 12, 13, 14].map((volume) => changeIf(tag, volume)));
    const made = replies.filter(({ status }) => status === 200).map((reply) => settingsOf(reply).volume);
    expect(made).toEqual([settingsOf(await settings()).volume]);
    expect(replies.filter(({ status }) => status === 412)).toHaveLength(3);
  });
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

const end = async ({ id }: Playback, page: Page): Promise<void> => expect((await acknowledge("ended", id, page)).status).toBe(200);

test("the next alert starts pauseSeconds after the end of the one before, however long that one played, also when it was skipped", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await change({ pauseSeconds: 1 });
  for (let i = 0; i < 4; i += 1) await donate();
  let playback = await page.next("playback");
  for (const step of ["ended", "skipped", "ended"]) {
    expect((await acknowledge("started", playback.id, page)).status).toBe(200);
    await sleep(1_200); // a pause that begins with the start is over now
    // Measured from before the request: the alert ends later, by however much the server is busy.
    const before = performance.now();
    if (step === "ended") await end(playback, page);
    else expect((await control("skip")).status).toBe(200);
    playback = await page.next("playback");
    expect(performance.now() - before).toBeGreaterThan(990); // the clocks of two machines run differently
  }
});

test("alerts are faster while at least fasterFrom wait behind them", async (context) => {
  await change({ fasterFrom: 2 });
  for (let i = 0; i < 4; i += 1) await donate();
  const page = await follow({ key: overlayKeyOf(context) });
  const shown = [await firstPlayback(page)];
  for (let last = shown[0] as Playback; shown.length < 4; shown.push(last)) {
    await end(last, page);
    last = await page.next("playback");
  }
  expect(shown.map(({ faster }) => faster)).toEqual([true, true, false, false]);
});

test("a donation below speechMinimumAmount is not read aloud; at it one is, where the server has a speech engine", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const spoken = async (amount: number): Promise<boolean> => {
    await donate({ amount, message: "Hello" });
    const playback = await page.next("playback");
    await end(playback, page);
    return playback.speech !== null;
  };
  const hasEngine = await spoken(20.5);
  await change({ speechMinimumAmount: 20.5 });
  expect([await spoken(20.49), await spoken(20.5)]).toEqual([false, hasEngine]);
});

test("an open page is told a volume of speech of its own, and the volume of sounds where there is none", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await change({ volume: 40, speechVolume: 10 });
  expect((await page.next("settings")).settings).toMatchObject({ volume: 40, speechVolume: 10 });
  await change({ speechVolume: null });
  expect((await page.next("settings")).settings).toMatchObject({ volume: 40, speechVolume: 40 });
});

test("an open page is told the speed of speech", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await change({ speechSpeed: 1.5 });
  expect((await page.next("settings")).settings).toMatchObject({ speechSpeed: 1.5 });
});
