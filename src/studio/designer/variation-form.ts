// The form of a variation of the alert, described once: a new member is one line here.

import { completeVariation, type Variation } from "../../alerts/settings/settings.ts";
import { enumOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";
import type { Bilingual, Words } from "../../ui/layout.ts";
import {
  type DescribedForm,
  type FieldDescription,
  knownMembers,
  readTyped,
  type Typed,
  toMembers,
  toTyped,
} from "../components/described-form.ts";
import { channelLabels, channels, sourceLabels, sources } from "../components/donation.ts";
import { choicesOf } from "../components/fields.ts";
import { fontChoices, splitChoice } from "./library-choices.ts";

export const themeNames: Readonly<Record<Schemas["AlertTheme"], Words>> = {
  namjai: { th: "น้ำใจ", en: "Namjai" },
  neon: { th: "นีออน", en: "Neon" },
  paper: { th: "กระดาษโน้ต", en: "Paper" },
  pixel: { th: "พิกเซล", en: "Pixel" },
  glass: { th: "กระจกใส", en: "Glass" },
  ribbon: { th: "แถบข่าว", en: "Ribbon" },
  gold: { th: "กรอบทอง", en: "Gold" },
  plain: { th: "ตัวอักษรล้วน", en: "Plain text" },
};

const positionNames: Readonly<Record<Schemas["AlertPosition"], Bilingual>> = {
  top_left: { th: "บนซ้าย", en: "Top left" },
  top: { th: "บน", en: "Top" },
  top_right: { th: "บนขวา", en: "Top right" },
  left: { th: "ซ้าย", en: "Left" },
  center: { th: "กลาง", en: "Centre" },
  right: { th: "ขวา", en: "Right" },
  bottom_left: { th: "ล่างซ้าย", en: "Bottom left" },
  bottom: { th: "ล่าง", en: "Bottom" },
  bottom_right: { th: "ล่างขวา", en: "Bottom right" },
};

const animationNames: Readonly<Record<Schemas["AlertAnimation"], Bilingual>> = {
  theme: { th: "ตามธีม", en: "As the theme" },
  fade: { th: "จาง", en: "Fade" },
  slide_up: { th: "เลื่อนขึ้นจากล่าง", en: "From below" },
  slide_down: { th: "เลื่อนลงจากบน", en: "From above" },
  slide_left: { th: "เลื่อนจากซ้าย", en: "From the left" },
  slide_right: { th: "เลื่อนจากขวา", en: "From the right" },
  zoom: { th: "ขยาย", en: "Zoom" },
  bounce: { th: "กระดอน", en: "Bounce" },
  flip: { th: "พลิก", en: "Flip" },
  none: { th: "ทันที", en: "At once" },
};

export const themes = enumOf("AlertTheme");

const animationChoices = choicesOf(enumOf("AlertAnimation"), animationNames);

/** A field's own words for a value of the wrong form. */
const ofFormat =
  (own: Words) =>
  ({ code }: Fault) =>
    code === "invalid_format" ? own : null;

const noColour = ofFormat({ th: "ต้องเป็นสี เช่น #27c7a5, #fff หรือ teal", en: "Must be a colour, such as #27c7a5, #fff or teal." });
const deletedFile = ofFormat({
  th: "ไฟล์ที่เลือกถูกลบไปแล้ว เลือกใหม่แล้วบันทึกอีกครั้ง",
  en: "The file was deleted meanwhile. Choose again, then save.",
});

/** The members of a variation with a field. One that is missing below does not compile; `sample` is for the preview alone. */
type Member = Exclude<keyof Variation, "style"> | keyof Variation["style"] | "sample";

/** No source or channel that is ticked means all of them. */
export const variationForm = {
  schema: "AlertVariation",
  schemas: { style: "AlertStyle" },
  fields: {
    name: { kind: "text", label: { th: "ชื่อรูปแบบ", en: "Name" } },
    from: { kind: "number", label: { th: "ตั้งแต่ (บาท)", en: "From (baht)" } },
    to: { kind: "number", empty: null, label: { th: "ถึง (บาท)", en: "To (baht)" } },
    seconds: { kind: "number", empty: null, slides: 1, label: { th: "แสดงกี่วินาที", en: "Seconds on screen" } },
    sources: {
      kind: "several",
      empty: null,
      label: { th: "ที่มา", en: "Source" },
      choices: choicesOf(sources, sourceLabels),
    },
    channels: {
      kind: "several",
      empty: null,
      label: { th: "ช่องทาง", en: "Channel" },
      choices: choicesOf(channels, channelLabels),
    },
    template: {
      kind: "longText",
      empty: null,
      label: { th: "ข้อความแจ้งเตือน", en: "Text" },
      hint: {
        th: "ใช้ {name} {amount} {message} ได้ เว้นว่างถ้าให้จัดตามธีม",
        en: "May have {name}, {amount} and {message}. Empty: as the theme arranges them.",
      },
      words: ofFormat({
        th: "ในวงเล็บปีกกามีได้แต่ {name} {amount} และ {message}",
        en: "Only {name}, {amount} and {message} may stand in braces.",
      }),
    },
    image: { kind: "choice", empty: null, label: { th: "ภาพ", en: "Image" }, words: deletedFile },
    libraryImage: { kind: "choice", empty: null, label: { th: "ภาพ", en: "Image" } },
    sound: { kind: "choice", empty: null, label: { th: "เสียง", en: "Sound" }, words: deletedFile },
    librarySound: { kind: "choice", empty: null, label: { th: "เสียง", en: "Sound" } },
    voice: { kind: "voice", empty: null, label: { th: "เสียงอ่าน", en: "Voice" } },
    speak: { kind: "check", label: { th: "อ่านออกเสียง", en: "Read aloud" } },
    confetti: { kind: "check", label: { th: "โปรยกระดาษสี", en: "Confetti" } },
    theme: {
      kind: "choice",
      member: "style.theme",
      label: { th: "ธีม", en: "Theme" },
      choices: choicesOf(themes, themeNames),
    },
    position: {
      kind: "choice",
      member: "style.position",
      empty: null,
      label: { th: "ตำแหน่ง", en: "Position" },
      choices: [["", { th: "ตามหน้าโอเวอร์เลย์", en: "As the overlay page has it" }], ...choicesOf(enumOf("AlertPosition"), positionNames)],
    },
    size: { kind: "number", slides: 5, member: "style.size", label: { th: "ขนาด (%)", en: "Size (%)" } },
    fontSize: { kind: "number", slides: 5, member: "style.fontSize", label: { th: "ขนาดตัวอักษร (%)", en: "Font size (%)" } },
    cardColor: colour("cardColor", "--card", { th: "สีการ์ด", en: "Card colour" }),
    textColor: colour("textColor", "--ink", { th: "สีตัวอักษร", en: "Text colour" }),
    accentColor: colour("accentColor", "--accent", { th: "สีเน้น", en: "Accent colour" }),
    secondColor: colour("secondColor", "--accent-warm", { th: "สีจำนวนเงิน", en: "Amount colour" }),
    font: {
      kind: "choice",
      member: "style.font",
      empty: null,
      label: { th: "แบบอักษร", en: "Typeface" },
      choices: [["", { th: "ตามธีม", en: "As the theme" }], ...fontChoices],
    },
    enter: { kind: "choice", member: "style.enter", label: { th: "ตอนเข้า", en: "Entrance" }, choices: animationChoices },
    leave: { kind: "choice", member: "style.leave", label: { th: "ตอนออก", en: "Exit" }, choices: animationChoices },
    sample: { kind: "choice", member: null, label: { th: "ข้อความตัวอย่าง", en: "Sample text" } },
  } satisfies Record<Member, FieldDescription>,
} as const satisfies DescribedForm;

/** The fields as they were typed. */
export type VariationForm = Typed<typeof variationForm>;

/** Members with whatever was typed: the contract checks them. */
type TypedVariation = Readonly<
  Record<Exclude<keyof Variation, "style">, unknown> & { style: Readonly<Record<keyof Variation["style"], unknown>> }
>;

/** The form of a variation that there is not yet. The first one is for every donation, in place of the default look. */
export function newVariationForm(theme: string, isFirst = false): VariationForm {
  const style = { theme: themes.find((one) => one === theme) ?? "namjai" };
  return toVariationForm(completeVariation({ name: "", from: isFirst ? 0 : 100, style }));
}

export function toVariationForm(variation: Variation): VariationForm {
  return { ...toTyped(variationForm, variation), sample: "short" };
}

/** The fields for image and sound offer own files and the library in one. */
export function readVariationForm(form: URLSearchParams): VariationForm {
  const typed = readTyped(variationForm, form);
  const [image, sound] = [splitChoice(typed.image), splitChoice(typed.sound)];
  return { ...typed, image: image.own, libraryImage: image.library, sound: sound.own, librarySound: sound.library };
}

export function toVariation(typed: VariationForm): TypedVariation {
  return toMembers(variationForm, typed) as TypedVariation;
}

/** The variations as an update may have them: without members of a later contract that was in use before. */
export function knownVariations(saved: readonly Variation[]): Variation[] {
  return saved.map((variation) => knownMembers(variationForm, variation) as Variation);
}

function colour<Name extends keyof Variation["style"]>(name: Name, variable: string, label: Words) {
  return { kind: "colour", member: `style.${name}`, empty: null, label, colour: variable, words: noColour } as const;
}
