import { expect, test } from "vitest";
import type { Schemas } from "../../http/operations.ts";
import { defaultSettings, type Settings } from "../settings/settings.ts";
import { seenWidgets } from "./widget-texts.ts";

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
