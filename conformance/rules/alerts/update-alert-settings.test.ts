import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectFaults, get, readDonation } from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { change, defaults, donate, freshQueue, settings, settingsOf } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, firstPlayback, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import { maxAmount } from "../../suite/contract/interface.ts";
import { keyOf } from "../../suite/values/target.ts";

beforeEach(async () => settingsOf(await change(defaults)));
afterEach(() => closePages());

const goal = { title: "ไมค์", target: 5000, from: "2026-11-01" };
const goals = Array.from({ length: 10 }, (_, i) => ({ ...goal, id: `goal-${i}`, target: i + 1 }));
const withoutId = ({ id: _, ...one }: (typeof goals)[number]) => one;
const words = (count: number, word = "x") => Array.from({ length: count }, () => word);

/** A goal that is set alone is the only one, and the first of several is the goal. */
function bothGoals(body: object) {
  const { goal: one, goals: several } = body as { goal?: typeof goal | null; goals?: typeof goals };
  if (several) return { goal: several[0] ? withoutId(several[0]) : null };
  return one ? { goals: [{ id: "main", ...one }] } : {};
}

describe("both sides of every bound", () => {
  const accepted = [
    { minimumAmount: 0 },
    { minimumAmount: maxAmount },
    { minimumAmount: 1e-300 },
    { blockedWords: [] },
    { blockedWords: words(200, "ก".repeat(50)) },
    { blockedWords: ["😀".repeat(50)] },
    { volume: 0 },
    { volume: 100 },
    { speech: false },
    { minimumSeconds: 2 },
    { minimumSeconds: 60, maximumSeconds: 60 },
    { minimumSeconds: 5, maximumSeconds: 5 },
    { maximumSeconds: 120 },
    { pauseSeconds: 0 },
    { pauseSeconds: 60 },
    { fasterFrom: 0 },
    { fasterFrom: 500 },
    { askFrom: 0 },
    { askFrom: 500 },
    { speechMinimumAmount: 0 },
    { speechMinimumAmount: maxAmount },
    { speechVolume: 0 },
    { speechVolume: 100 },
    { speechVolume: null },
    { speechSpeed: 0.5 },
    { speechSpeed: 2 },
    { voice: "a" },
    { voice: `a${"B._+-9".repeat(10)}` },
    { voice: null },
    ...["skip", "mask_word", "mask_text", "hold"].map((blockedWordAction) => ({ blockedWordAction })),
    ...["off", "all", "matching"].map((approval) => ({ approval })),
    ...["show", "drop", "mask"].map((onTimeout) => ({ onTimeout })),
    { approvalSeconds: 10 },
    { approvalSeconds: 3600 },
    { goal: null },
    { goal: { ...goal, title: "ก".repeat(60) } },
    { goal: { ...goal, target: 1_000_000_000 } },
    { goal: { ...goal, target: 5e-324 } },
    { goal: { ...goal, from: "0000-02-29" } },
    { goal: { ...goal, to: "2026-11-01" } },
    { goal: { ...goal, to: "9999-12-31" } },
    { goals },
    { goals: [{ ...goal, id: "x".repeat(36) }] },
    { goals: [{ ...goal, id: "a" }], goal },
    { goals: [], goal: null },
    { goals, goal: null },
    { goals: [], goal },
    {},
  ];
  test.each(accepted.map((body) => ({ body, text: JSON.stringify(body) })))(
    "settings within their bounds are accepted: $text",
    async ({ body }) => expect(settingsOf(await change(body))).toEqual({ ...defaults, ...body, ...bothGoals(body) }),
  );

  const refused: [body: object, fault: string][] = [
    [{ minimumAmount: -1 }, "/minimumAmount out_of_range"],
    [{ minimumAmount: 1_000_001 }, "/minimumAmount out_of_range"],
    [{ minimumAmount: "1" }, "/minimumAmount invalid_type"],
    [{ minimumAmount: null }, "/minimumAmount invalid_type"],
    [{ blockedWords: words(201) }, "/blockedWords too_many_items"],
    [{ blockedWords: [""] }, "/blockedWords/0 too_short"],
    [{ blockedWords: ["x", "ก".repeat(51)] }, "/blockedWords/1 too_long"],
    [{ blockedWords: [1] }, "/blockedWords/0 invalid_type"],
    [{ blockedWords: "x" }, "/blockedWords invalid_type"],
    [{ blockedWords: null }, "/blockedWords invalid_type"],
    [{ volume: -1 }, "/volume out_of_range"],
    [{ volume: 101 }, "/volume out_of_range"],
    [{ volume: 0.5 }, "/volume invalid_type"],
    [{ speech: "true" }, "/speech invalid_type"],
    [{ minimumSeconds: 1 }, "/minimumSeconds out_of_range"],
    [{ minimumSeconds: 61, maximumSeconds: 120 }, "/minimumSeconds out_of_range"],
    [{ maximumSeconds: 4 }, "/maximumSeconds out_of_range"],
    [{ maximumSeconds: 121 }, "/maximumSeconds out_of_range"],
    [{ pauseSeconds: -1 }, "/pauseSeconds out_of_range"],
    [{ pauseSeconds: 61 }, "/pauseSeconds out_of_range"],
    [{ pauseSeconds: 1.5 }, "/pauseSeconds invalid_type"],
    [{ fasterFrom: -1 }, "/fasterFrom out_of_range"],
    [{ fasterFrom: 501 }, "/fasterFrom out_of_range"],
    [{ fasterFrom: null }, "/fasterFrom invalid_type"],
    [{ askFrom: -1 }, "/askFrom out_of_range"],
    [{ askFrom: 501 }, "/askFrom out_of_range"],
    [{ speechMinimumAmount: -1 }, "/speechMinimumAmount out_of_range"],
    [{ speechMinimumAmount: 1_000_001 }, "/speechMinimumAmount out_of_range"],
    [{ speechVolume: 101 }, "/speechVolume out_of_range"],
    [{ speechVolume: "loud" }, "/speechVolume invalid_type"],
    [{ speechSpeed: 0.49 }, "/speechSpeed out_of_range"],
    [{ speechSpeed: 2.01 }, "/speechSpeed out_of_range"],
    [{ speechSpeed: null }, "/speechSpeed invalid_type"],
    [{ voice: "" }, "/voice invalid_format"],
    [{ voice: "-f /etc/passwd" }, "/voice invalid_format"],
    [{ voice: "x".repeat(65) }, "/voice invalid_format"],
    [{ voice: 1 }, "/voice invalid_type"],
    [{ blockedWordAction: "block" }, "/blockedWordAction invalid_enum"],
    [{ approval: "some" }, "/approval invalid_enum"],
    [{ approval: true }, "/approval invalid_type"],
    [{ onTimeout: null }, "/onTimeout invalid_type"],
    [{ approvalSeconds: 9 }, "/approvalSeconds out_of_range"],
    [{ approvalSeconds: 3601 }, "/approvalSeconds out_of_range"],
    [{ goal: { ...goal, title: "" } }, "/goal/title too_short"],
    [{ goal: { ...goal, title: "ก".repeat(61) } }, "/goal/title too_long"],
    [{ goal: { ...goal, target: 0 } }, "/goal/target out_of_range"],
    [{ goal: { ...goal, target: 1_000_000_001 } }, "/goal/target out_of_range"],
    [{ goal: { ...goal, from: "2026-02-29" } }, "/goal/from invalid_format"],
    [{ goal: { ...goal, from: "2026-11-01T00:00Z" } }, "/goal/from invalid_format"],
    [{ goal: { ...goal, to: "2026-02-29" } }, "/goal/to invalid_format"],
    [{ goal: { ...goal, to: "2026-10-31" } }, "/goal/to out_of_range"],
    [{ goal: { ...goal, to: null } }, "/goal/to invalid_type"],
    [{ goal: { ...goal, current: 1 } }, "/goal/current unknown_member"],
    [{ goal: { title: "x", target: 1 } }, "/goal/from required"],
    [{ goal: 5 }, "/goal invalid_type"],
    [{ goal: "none" }, "/goal invalid_type"],
    [{ goals: [...goals, { ...goal, id: "one-more" }] }, "/goals too_many_items"],
    [{ goals: [goal] }, "/goals/0/id required"],
    ...["", "Mic", "-a", "a b", "x".repeat(37)].map((id): [object, string] => [{ goals: [{ ...goal, id }] }, "/goals/0/id invalid_format"]),
    [{ goals: [{ ...goal, id: "a", to: "2026-10-31" }] }, "/goals/0/to out_of_range"],
    [{ goals: [goals[0], goals[1], { ...goal, id: "goal-0" }] }, "/goals/2/id not_unique"],
    [{ goals: null }, "/goals invalid_type"],
    [{ paused: true }, "/paused unknown_member"],
    [{ Volume: 1 }, "/Volume unknown_member"],
  ];
  test.each(refused.map(([body, fault]) => ({ body, fault, text: JSON.stringify(body) })))(
    "settings beyond their bounds are refused: $text",
    async ({ body, fault }) => {
      expectFaults(await change(body), fault);
      expect(settingsOf(await settings())).toEqual(defaults);
    },
  );

  test("every fault of the settings is named, not only the first", async () =>
    expectFaults(
      await change({ volume: 101, goal: { title: "", target: "1" }, blockedWords: ["", 1] }),
      "/volume out_of_range",
      "/goal/title too_short",
      "/goal/target invalid_type",
      "/goal/from required",
      "/blockedWords/0 too_short",
      "/blockedWords/1 invalid_type",
    ));
});

describe("alerts are seen for at most as long as at least", () => {
  test("maximumSeconds below minimumSeconds is refused at the member that was sent", async () => {
    expectFaults(await change({ maximumSeconds: 5 }), "/maximumSeconds out_of_range");
    expectFaults(await change({ minimumSeconds: 31 }), "/minimumSeconds out_of_range");
    expectFaults(await change({ minimumSeconds: 20, maximumSeconds: 19 }), "/maximumSeconds out_of_range");
    expect(settingsOf(await settings())).toEqual(defaults);
  });

  test("equal maximumSeconds and minimumSeconds are accepted", async () => {
    expect(settingsOf(await change({ minimumSeconds: 30 }))).toMatchObject({ minimumSeconds: 30, maximumSeconds: 30 });
  });
});

test("settings that are not sent stay; null removes the goal", async () => {
  await change({ volume: 5, goal });
  expect(settingsOf(await change({ speech: false }))).toEqual({ ...defaults, ...bothGoals({ goal }), volume: 5, goal, speech: false });
  expect(settingsOf(await change({ goal: null }))).toEqual({ ...defaults, volume: 5, speech: false });
});

test("a goal that is sent replaces the one before as a whole: without a last day it has none", async () => {
  await change({ goal: { ...goal, to: "2026-12-31" } });
  const next = { title: "กล้อง", target: 1, from: "2027-01-01" };
  expect(settingsOf(await change({ goal: next })).goal).toEqual(next);
  expect(settingsOf(await settings()).goal).toEqual(next);
});

test("goal is the first of goals: a change of it keeps the id and the others, and null makes the next one the first", async () => {
  const [first, second] = [goals[3]!, goals[1]!];
  expect(settingsOf(await change({ goals: [first, second] }))).toMatchObject({ goal: withoutId(first), goals: [first, second] });
  const changed = { ...goal, title: "กล้อง" };
  expect(settingsOf(await change({ goal: changed }))).toMatchObject({ goal: changed, goals: [{ ...changed, id: first.id }, second] });
  expect(settingsOf(await change({ goal: null }))).toMatchObject({ goal: withoutId(second), goals: [second] });
  expect(settingsOf(await settings())).toMatchObject({ goal: withoutId(second), goals: [second] });
});

test("settings with an unknown member, or that are no object, are refused", async () => {
  expectFaults(await change([]), " invalid_type");
  expectFaults(await change(null), " invalid_type");
});

test("concurrent changes of the settings do not lose each other", async () => {
  await Promise.all([change({ volume: 1 }), change({ minimumAmount: 2 }), change({ blockedWords: ["a"] }), change({ goal })]);
  expect(settingsOf(await settings())).toEqual({
    ...defaults,
    volume: 1,
    minimumAmount: 2,
    blockedWords: ["a"],
    goal,
    ...bothGoals({ goal }),
  });
});

test("changing the settings does not touch another streamer's", async (context) => {
  const ofOther = async () => settingsOf(await settings({ key: keyOf(context, "other") }));
  const before = await ofOther();
  for (const volume of [1, 2]) await change({ volume });
  expect(await ofOther()).toEqual(before);
});

describe("effects of the settings", () => {
  beforeEach(() => freshQueue());

  test("an open page is told volume, speech and durations at once, and nothing that it need not know", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    const { widget, sound } = await page.next("snapshot");
    await change({ volume: 7, blockedWords: ["secret"] });
    expect(await page.next("settings")).toEqual({
      paused: false,
      hidden: false,
      settings: { volume: 7, speechVolume: 7, speechSpeed: 1, speech: true, minimumSeconds: 6, maximumSeconds: 30 },
      widget,
      sound,
    });
    await change({ blockedWords: ["other"] });
    await page.expectNothing("settings");
  });

  test("a donation below minimumAmount raises no alert; at it one is raised", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    await change({ minimumAmount: 20.5 });
    const [low, high] = [await donate({ amount: 20.49 }), await donate({ amount: 20.5 })];
    expect((await show(page)).donationId).toBe(high.id);
    expect(readDonation(await get(low.id)).alert).toEqual({ status: "skipped", reason: "below_minimum", shownAt: null, masked: false });
  });

  test("changed settings hold for every alert that waits, however many were recorded before the change", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    const donations = [];
    for (let i = 0; i < 12; i += 1) donations.push(await donate({ amount: 10 }));
    const playing = await page.next("playback");
    await change({ minimumAmount: 50 });
    const high = await donate({ amount: 50 });
    expect((await acknowledge("ended", playing.id, page)).status).toBe(200);
    expect((await show(page)).donationId).toBe(high.id);
    for (const { id } of donations.slice(1))
      expect(readDonation(await get(id)).alert).toEqual({ status: "skipped", reason: "below_minimum", shownAt: null, masked: false });
  });

  test("an alert is shown, however many alerts are filtered before it", async (context) => {
    await change({ minimumAmount: 50 });
    await holdsForEach(Array.from({ length: 120 }), () => donate({ amount: 10 }), 16);
    const { id } = await donate({ amount: 50 });
    const page = await follow({ key: overlayKeyOf(context) });
    expect((await firstPlayback(page)).donationId).toBe(id);
  });

  test.for([
    { blocked: "spam", message: "this is SPAM" },
    { blocked: "SPAM", message: "s\u200bp\u200ba\u200bm" },
    { blocked: "ｓｐａｍ", message: "spam" },
    { blocked: "spam", message: "s p a m" },
    { blocked: "สแปม", message: "ขายสแปมจ้า" },
    { blocked: "สแปม", message: "ส แ ป ม" },
    { blocked: "bad word", message: "a bad  word" },
  ])("blocked words $blocked keep $message off the stream, in a message and in a name", async ({ blocked, message }, context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    await change({ blockedWords: ["never", blocked] });
    const refused = [await donate({ message }), await donate({ donatorName: message })];
    const shown = await donate({ message: "ดี" });
    expect((await show(page)).donationId).toBe(shown.id);
    for (const { id } of refused) expect(readDonation(await get(id)).alert).toMatchObject({ status: "skipped", reason: "filtered" });
  });

  test("a blocked word without a visible character blocks nothing", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    await change({ blockedWords: ["\u200b", " "] });
    const { id } = await donate({ message: "two words" });
    expect((await show(page)).donationId).toBe(id);
  });
});
