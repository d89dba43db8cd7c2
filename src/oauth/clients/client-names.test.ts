import { expect, test } from "vitest";
import { findNameFault } from "./client-names.ts";

const find = (name: string) => findNameFault(name, { brand: "namjai", taken: ["Alert Bot"] });

test.each([
  "Lamp",
  "ไฟเวที ๒๐๒๖",
  "Bot น้ำใจ",
  "Müller's lights!",
  "배경음악",
  "7",
  "a".repeat(60),
  "😀 lights",
  "Alert Bot 2",
  "🇹🇭 alerts",
  "Ελλάδα",
  "Привет",
  "Tip.ly lights",
  "Việt Nam",
  "Sport! $ tips",
])("a streamer's client may have the name %j", (name) => expect(find(name)).toBeNull());

test.each([
  ["no characters", "", "required", /required/],
  ["61 characters", "😀".repeat(60).concat("a"), "too_long", /60 characters/],
  ["a control character", "Lamp\u0007", "invalid_format", /control/],
  ["a line break", "Lamp\nby Namjai", "invalid_format", /line breaks/],
  ["a right-to-left override", "Lamp\u202Egpj", "invalid_format", /invisible/],
  ["an isolate", "\u2066Lamp\u2069", "invalid_format", /invisible/],
  ["a zero-width space", "La\u200Bmp", "invalid_format", /invisible/],
  ["a Hangul filler", "\u3164", "invalid_format", /invisible/],
  ["a non-breaking space", "Lamp\u00A0bot", "invalid_format", /invisible/],
  ["a line separator", "Lamp\u2028bot", "invalid_format", /line breaks/],
  ["an unpaired surrogate", "Lamp\uD800", "invalid_format", /invisible/],
  ["four marks on a letter", "La\u0301\u0301\u0301\u0301mp", "invalid_format", /marks/],
  ["punctuation alone", "...", "invalid_format", /letter or a digit/],
])("a streamer's client must not have a name with %s", (_title, name, code, rule) => {
  expect(find(name)).toMatchObject({ code, message: expect.stringMatching(rule) });
});

test.each([
  "Namjai",
  "NAMJAI Support",
  "n a m j a i",
  "nämjai",
  "namja\u0456",
  "N\u0430mj\u0430i",
  "namja1",
  "narnjai",
  "ｎａｍｊａｉ",
  "official-nam.jai",
  "\u039D\u0391\u039C\u0408\u0391\u0406", // Greek and Cyrillic capitals
  "🅽🅰🅼🅹🅰🅸 1",
  "🇳🇦🇲🇯🇦🇮 1",
  "namja|",
  "n@mja!",
])("a streamer's client must not have the name %j, which looks like the platform's", (name) =>
  expect(find(name)?.message).toMatch(/platform/),
);

test.each(["Alert Bot", "alert bot", "Alert-Bot", "A1ert B0t", "\u0410lert Bot", "Alert Bot™", "Alert Bot!", "A|ert Bot"])(
  "a streamer's client must not have the name %j, which looks like that of a client of the operator",
  (name) => expect(find(name)?.message).toMatch(/another application/),
);

test.each([
  ["Latin and Cyrillic letters", "Stre\u0430m lights"],
  ["Greek and Cyrillic letters", "\u039D\u0430"],
  ["small capitals", "ɴᴀᴍᴊᴀɪ"],
  ["phonetic letters", "namʝai"],
  ["Lisu letters", "ꓠꓮꓟꓙꓮꓲ"],
  ["Cherokee letters", "Ꮑamjai"],
])("a streamer's client must not have a name with letters that pass for Latin ones: %s", (_title, name) =>
  expect(find(name)?.message).toMatch(/pass for Latin ones|platform/),
);

test("a streamer's client must not be named as if it had been found at an address", () =>
  expect(find("claude.ai · Claude")?.message).toMatch(/address/));
