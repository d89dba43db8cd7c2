import { afterEach, expect, test } from "vitest";
import type { Schemas } from "../../http/operations.ts";
import { defaultSettings, type Settings } from "../settings/settings.ts";
import { defaultTimes } from "../timeouts.ts";
import { makeWidgetBoard, seenWidgets, type WidgetBoard } from "./widget-board.ts";

const goal = { id: "g", title: "g", target: 1, from: "2026-11-01" };
let board: WidgetBoard | null = null;
afterEach(() => board?.close());

/** A board over donations that are counted up; it notes each reading. */
function boardOver(donations: { count: number }) {
  const readings: { sequence: number; goals: unknown; at: number }[] = [];
  const read: Read = async (asked) => {
    const sequence = donations.count;
    readings.push({ sequence, goals: asked, at: performance.now() });
    const widgets = { asOf: "now", totals: { all: { count: sequence } } } as Schemas["Widgets"];
    return { widgets, sequence, validUntil: Number.POSITIVE_INFINITY };
  };
  return { ...boardOn(read, 100), readings };
}

type Read = Parameters<typeof makeWidgetBoard>[0];

function boardOn(read: Read, widgetIntervalMs = 0) {
  const shown: unknown[] = [];
  const onChange = () => shown.push(board?.current()?.totals?.all.count);
  board = makeWidgetBoard(read, onChange, { ...defaultTimes, widgetIntervalMs, retryDelayMs: 10 });
  return { board, shown };
}

test("many donations within a moment cause few readings, and the last reading includes all of them", async () => {
  const donations = { count: 0 };
  const { board, readings, shown } = boardOver(donations);
  await board.include({ sequence: 0, goals: [], texts: "" });
  for (let i = 0; i < 50; i += 1) {
    donations.count += 1;
    board.want({ sequence: donations.count, goals: [], texts: "" });
  }
  await board.include({ sequence: 50, goals: [], texts: "" });
  expect(readings.map(({ sequence }) => sequence)).toEqual([0, 50]);
  expect(shown).toEqual([0, 50]);
  expect((readings[1]?.at ?? 0) - (readings[0]?.at ?? 0)).toBeGreaterThanOrEqual(95);
});

test("a reading whose figures are the same but for its time keeps the figures that pages have", async () => {
  let reads = 0;
  const { board } = boardOn(async () => {
    reads += 1;
    const widgets = { asOf: String(reads), totals: { all: { count: Math.max(2, reads) } } } as Schemas["Widgets"];
    return { widgets, sequence: reads, validUntil: Number.POSITIVE_INFINITY };
  });
  const seen: unknown[] = [];
  for (const sequence of [1, 2, 3]) {
    await board.include({ sequence, goals: [], texts: "" });
    seen.push(board.current());
  }
  expect(seen[1]).toBe(seen[0]);
  expect(seen[2]).toMatchObject({ asOf: "3", totals: { all: { count: 3 } } });
});

test("a donation that the last reading includes causes no reading, and a changed goal causes one", async () => {
  const { board, readings } = boardOver({ count: 3 });
  await board.include({ sequence: 3, goals: [], texts: "" });
  await board.include({ sequence: 2, goals: [], texts: "" });
  await board.include({ sequence: 3, goals: [goal], texts: "" });
  await board.include({ sequence: 3, goals: [{ ...goal }], texts: "" });
  expect(readings.map((reading) => reading.goals)).toEqual([[], [goal]]);
});

test("a reading whose validity has ended is repeated", async () => {
  let reads = 0;
  const { board } = boardOn(async () => {
    reads += 1;
    const validUntil = reads === 1 ? Date.now() - 1 : Number.POSITIVE_INFINITY;
    return { widgets: { asOf: "now", totals: { all: { count: reads } } } as Schemas["Widgets"], sequence: 0, validUntil };
  });
  await board.include({ sequence: 0, goals: [], texts: "" });
  expect(reads).toBe(2);
  board.refresh();
  expect(reads).toBe(2);
});

test("a failed reading rejects those who wait for it, and is repeated for the others", async () => {
  let reads = 0;
  const { board } = boardOn(async () => {
    reads += 1;
    if (reads === 1) throw new Error("away");
    return { widgets: { asOf: "here" } as Schemas["Widgets"], sequence: 0, validUntil: Number.POSITIVE_INFINITY };
  });
  await expect(board.include({ sequence: 0, goals: [], texts: "" })).rejects.toThrow("away");
  await expect.poll(() => board.current()?.asOf).toBe("here");
});

const donation = (donationId: string, donatorName: string, message: string) =>
  ({ donationId, donatorName, amount: 20, currency: "THB", message, createdAt: "2026-11-20T12:30:00.000Z" }) as const;
const donator = (donatorName: string) => ({ rank: 1, donatorName, amount: 20, count: 1 });

const widgets = {
  recent: [donation("a", "Anong", "you spam here"), donation("b", "Spam", "hi")],
  top: [donator("Spam"), donator("Anong")],
  topOf: { day: [donator("s p a m")], week: [], month: [] },
  largest: { day: donation("a", "Anong", "you spam here"), week: null, month: null, all: donation("b", "Spam", "hi") },
} as unknown as Schemas["Widgets"];

const seen = async (settings: Partial<Settings>, unseen: string[] = []) => {
  const { recent, top, topOf, largest } = await seenWidgets(widgets, { ...defaultSettings, ...settings }, new Set(unseen));
  return [
    recent.map(({ donatorName, message }) => `${donatorName}: ${message}`),
    [...top, ...topOf.day].map(({ donatorName }) => donatorName),
    [largest.day?.message, largest.all?.donatorName],
  ];
};

test("widgets mask words as alerts do, and hide texts whose alerts would be left out or held", async () => {
  const asSent = [
    ["Anong: you spam here", "Spam: hi"],
    ["Spam", "Anong", "s p a m"],
    ["you spam here", "Spam"],
  ];
  expect(await seen({})).toEqual(asSent);
  const hidden = [
    ["Anong: ", "***: hi"],
    ["***", "Anong", "***"],
    ["", "***"],
  ];
  for (const blockedWordAction of ["skip", "hold", "mask_text"] as const)
    expect(await seen({ blockedWords: ["spam"], blockedWordAction })).toEqual(hidden);
  const masked = [
    ["Anong: you *** here", "***: hi"],
    ["***", "Anong", "***"],
    ["you *** here", "***"],
  ];
  expect(await seen({ blockedWords: ["spam"], blockedWordAction: "mask_word" })).toEqual(masked);
});

test("widgets hide name and message of a donation that was not approved", async () => {
  expect(await seen({}, ["a"])).toEqual([
    ["***: ", "Spam: hi"],
    ["Spam", "Anong", "s p a m"],
    ["", "Spam"],
  ]);
});
