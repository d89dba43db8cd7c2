// What the designer offers beside the streamer's own files: pictures and sounds of the library, and typefaces.

import type { AlertFile } from "../../alerts/media/alert-files.ts";
import type { Site } from "../../http/base-url.ts";
import type { Schemas } from "../../http/operations.ts";
import { alertFontNames, alertFonts } from "../../ui/alert-fonts.ts";
import { sampleClass } from "../../ui/fonts.ts";
import type { Words } from "../../ui/layout.ts";
import type { Choices } from "../components/fields.ts";
import type { SampleChoice } from "../components/sample-field.ts";

const libraryImages: Readonly<Record<Schemas["LibraryImage"], Words>> = {
  hearts: { th: "หัวใจ", en: "Hearts" },
  star: { th: "ดาว", en: "Star" },
  confetti: { th: "พลุกระดาษ", en: "Confetti" },
  fireworks: { th: "ดอกไม้ไฟ", en: "Fireworks" },
  gift: { th: "ของขวัญ", en: "Present" },
  crown: { th: "มงกุฎ", en: "Crown" },
  coffee: { th: "กาแฟ", en: "Coffee" },
  cat: { th: "แมวกวัก", en: "Cat" },
  elephant: { th: "ช้าง", en: "Elephant" },
  lotus: { th: "ดอกบัว", en: "Lotus" },
  naga: { th: "พญานาค", en: "Naga" },
  lanterns: { th: "โคมลอย", en: "Sky lanterns" },
};

const librarySounds: Readonly<Record<Schemas["LibrarySound"], Words>> = {
  bell: { th: "ระฆังวัด", en: "Temple bell" },
  coins: { th: "เหรียญ", en: "Coins" },
  pop: { th: "ป๊อป", en: "Pop" },
  fanfare: { th: "แตรฉลอง", en: "Fanfare" },
  gong: { th: "ฆ้อง", en: "Gong" },
  ranat: { th: "ระนาด", en: "Ranat" },
  drum: { th: "กลองยาว", en: "Long drum" },
  swoosh: { th: "วูบ", en: "Swoosh" },
  arcade: { th: "เกมตู้", en: "Arcade" },
  sparkle: { th: "ประกาย", en: "Sparkle" },
};

/** The value of a field that names an item of the library; any other value is the id of an own file. */
const prefix = "library:";

/** Pictures to choose from: none, those of the library, and the streamer's own, whose words `own` has. */
export function imageChoices(site: Site, own: Choices, files: readonly AlertFile[]): SampleChoice[] {
  const ofLibrary = Object.entries(libraryImages).map(([name, words]) => {
    return { value: prefix + name, words, sample: { image: site.path(`/overlay/library/${name}.svg`) } };
  });
  const isFilm = (id: string) => files.some((file) => file.id === id && file.mime === "video/webm");
  const ofStreamer = own.map(([value, words]) => {
    const address = site.path(`/media?id=${value}`);
    return { value, words, sample: isFilm(value) ? { film: address } : { image: address } };
  });
  return [{ value: "", words: { th: "ไม่มี", en: "None" } }, ...ofLibrary, ...ofStreamer];
}

/** Sounds to choose from, each with what plays it. */
export function soundChoices(site: Site, own: Choices): SampleChoice[] {
  const ofLibrary = Object.entries(librarySounds).map(([name, words]) => {
    return { value: prefix + name, words, sample: { sound: site.path(`/overlay/library/${name}.wav`) } };
  });
  const ofStreamer = own.map(([value, words]) => ({ value, words, sample: { sound: site.path(`/media?id=${value}`) } }));
  const chime = { value: "", words: { th: "เสียงระฆังเดิม", en: "The chime" }, sample: { sound: site.path("/overlay/assets/chime.wav") } };
  return [chime, ...ofLibrary, ...ofStreamer];
}

/** The value of the field that stands for both members: an own file goes before an item of the library. */
export const shownChoice = (own: string, library: string): string => (own === "" && library !== "" ? prefix + library : own);

/** What was chosen: an own file, an item of the library, or neither. */
export function splitChoice(typed: string): { own: string; library: string } {
  return typed.startsWith(prefix) ? { own: "", library: typed.slice(prefix.length) } : { own: typed, library: "" };
}

export const fontChoices = alertFontNames.map((name) => {
  const { family } = alertFonts[name];
  return [name, { th: `${family} สวัสดี`, en: `${family} สวัสดี` }] as const;
});

/** Typefaces, each in itself. */
export const fontSamples = (choices: Choices): SampleChoice[] =>
  choices.map(([value, words]) => ({ value, words, sample: { typeface: sampleClassOf(value) } }));

const sampleClassOf = (value: string) =>
  alertFontNames
    .filter((name) => name === value)
    .map(sampleClass)
    .join("");
