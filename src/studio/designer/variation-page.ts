// Renders the page of one variation: the preview and the form.

import type { AlertFile } from "../../alerts/media/alert-files.ts";
import type { Fault } from "../../http/problem.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { channelLabels, channels, sourceLabels, sources } from "../components/donation.ts";
import {
  type Choices,
  checkField,
  choiceField,
  enterButton,
  type FieldFaults,
  faultSummary,
  formatRange,
  numberField,
  textAreaField,
  textField,
} from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { listenButton, speaks, type Voices, voiceField } from "../components/voice-field.ts";
import { paths, variationAddress } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { fileFacts, fileInput, fileLimits } from "./alert-files.ts";
import { animationNames, fieldLabels, positionNames, themeNames } from "./designer-labels.ts";
import { samples } from "./samples.ts";
import { animations, positions, type TextName, themes, type VariationForm } from "./variation-form.ts";

type VariationPage = PageContext &
  Pick<StudioDeps, "bounds"> &
  Readonly<{
    typed: VariationForm;
    /** In the list; null: a new variation. */
    place: number | null;
    /** Names the variation as it was shown. */
    version: string;
    faults: FieldFaults;
    files: readonly AlertFile[];
    voices: Voices;
    /** How speech is played: in percent, and as a factor. */
    spoken: Readonly<{ volume: number; speed: number }>;
    /** Address of the frame. */
    preview: string;
  }>;

export function variationPage(page: VariationPage): string {
  const { site, account, faults, preview } = page;
  const { variations: listFault, ...fieldFaults } = faults;
  const form = postForm({ action: site.path(paths.variation), formToken: account.formToken, content: fields(page), id: "variation" });
  return studioPage({
    ...page,
    here: paths.designer,
    title: page.place === null ? { th: "รูปแบบใหม่", en: "New variation" } : { th: "แก้ไขรูปแบบ", en: "Edit variation" },
    content: html`${listFault && html`<p class="wrong" role="alert">${bilingual(tooMany)}</p>`}${faultSummary(fieldFaults, fieldLabels)}
<div class="columns designer" data-here="${site.path(variationAddress(page.place, page.typed.theme))}">
${form}
<section class="card stuck" aria-labelledby="preview">
<h2 id="preview">${bilingual({ th: "ตัวอย่าง", en: "Preview" })}</h2>
<iframe class="stage" data-preview="${site.path(paths.previewVariation)}" src="${preview}" title="${bilingual({ th: "ตัวอย่าง", en: "Preview" })}" tabindex="-1"></iframe>
${previewFields(page)}
</section>
</div>
<p><a href="${site.path(paths.designer)}">${bilingual({ th: "กลับไปที่รายการ", en: "Back to the list" })}</a></p>`,
  });
}

const tooMany = { th: "มีรูปแบบได้ไม่เกิน 20 รูปแบบ", en: "There can be at most 20 variations." };

/** These belong to the form as well, and save nothing. */
function previewFields({ site, typed }: VariationPage): Html {
  const option = ([name, { label }]: [string, { label: Bilingual }]) =>
    html`<option value="${name}"${name === typed.sample && html` selected`}>${bilingual(label)}</option>`;
  const button = (words: Bilingual, attributes: Html) =>
    html`<button form="variation" formaction="${site.path(paths.previewVariation)}" formnovalidate data-previews${attributes}>${bilingual(words)}</button>`;
  return html`<div class="field">
<label for="field-sample">${bilingual(fieldLabels.sample)}</label>
<select id="field-sample" name="sample" form="variation">${Object.entries(samples).map(option)}</select>
</div>
<div class="buttons">
${button({ th: "ดูตัวอย่าง", en: "Update preview" }, html` class="unscripted"`)}
${button({ th: "เล่นพร้อมเสียง", en: "Play with sound" }, html` name="play" value="1"`)}
</div>`;
}

function fields(page: VariationPage): Html {
  const { place, version } = page;
  return html`${enterButton(save)}
<input type="hidden" name="place" value="${place ?? ""}">
<input type="hidden" name="version" value="${version}">
<section class="card" aria-labelledby="when">
<h2 id="when">${bilingual({ th: "โดเนทใดบ้าง", en: "Which donations" })}</h2>
${donationFields(page)}
</section>
<section class="card" aria-labelledby="look">
<h2 id="look">${bilingual({ th: "หน้าตา", en: "Look" })}</h2>
${lookFields(page)}
</section>
<section class="card" aria-labelledby="texts">
<h2 id="texts">${bilingual({ th: "ข้อความ ภาพ และเสียง", en: "Text, image and sound" })}</h2>
${contentFields(page)}
</section>
<div class="buttons save">
<button class="main">${bilingual(save)}</button>
<button name="test" value="1">${bilingual({ th: "บันทึกและทดสอบบนสตรีม", en: "Save and test on stream" })}</button>
</div>`;
}

function donationFields(page: VariationPage): Html {
  const { typed, faults } = page;
  return html`${textField(field(page, "name"), faults)}
<div class="pair">
${number(page, "from")}
${numberField(field(page, "to", noLimit), faults)}
</div>
${checks({ th: "ที่มา", en: "Source" }, "sources", sources, typed.sources)}
${checks({ th: "ช่องทาง", en: "Channel" }, "channels", channels, typed.channels)}`;
}

function lookFields(page: VariationPage): Html {
  const { typed, faults } = page;
  const choice = (name: TextName, choices: Choices) => choiceField({ ...field(page, name), choices }, faults);
  const colour = (name: TextName, variable: string) =>
    textField({ ...field(page, name), words: wordsOfFormat(noColour), colour: variable }, faults);
  const animationChoices: Choices = animations.map((one) => [one, animationNames[one]]);
  return html`${choice(
    "theme",
    themes.map((one) => [one, themeNames[one]]),
  )}
${choice("position", [["", { th: "ตามหน้าโอเวอร์เลย์", en: "As the overlay page has it" }], ...positions.map((one) => [one, positionNames[one]] as const)])}
<div class="pair">
${number(page, "size")}
${number(page, "fontSize")}
</div>
<p class="note">${bilingual(colours)}</p>
<div class="pair">
${colour("cardColor", "--card")}
${colour("textColor", "--ink")}
${colour("accentColor", "--accent")}
${colour("secondColor", "--accent-warm")}
</div>
<div class="pair">
${choice("enter", animationChoices)}
${choice("leave", animationChoices)}
</div>
${checkField({ name: "confetti", label: { th: "โปรยกระดาษสี", en: "Confetti" }, checked: typed.confetti })}`;
}

function contentFields(page: VariationPage): Html {
  const { typed, faults, files, voices } = page;
  const seconds = page.bounds("AlertVariation", "seconds");
  const file = (kind: AlertFile["kind"], none: Bilingual) =>
    choiceField({ ...field(page, kind), choices: [["", none], ...filesOf(files, kind)], words: wordsOfFormat(deletedFile) }, faults);
  return html`${textAreaField({ ...field(page, "template", placeholders), words: wordsOfFormat(otherBraces) }, faults)}
${file("image", { th: "ไม่มี", en: "None" })}
${file("sound", { th: "เสียงระฆังเดิม", en: "The chime" })}
${newFile(page)}
${numberField({ ...field(page, "seconds"), bounds: seconds, hint: html`${formatRange(seconds)}. ${bilingual(asLong)}` }, faults)}
${checkField({ name: "speak", label: { th: "อ่านออกเสียง", en: "Read aloud" }, checked: typed.speak })}
${voiceField({ ...field(page, "voice"), unset: voiceOfSettings }, voices, faults)}
${speaks(voices) && listenButton({ site: page.site, voice: typed.voice, inherits: true, sample: typed.sample, ...page.spoken })}`;
}

/** What every field shows of one member. */
function field({ typed }: VariationPage, name: TextName, hint?: Bilingual) {
  return { name, label: fieldLabels[name], typed: typed[name], ...(hint && { hint: html`${bilingual(hint)}` }) };
}

function number(page: VariationPage, name: "from" | "size" | "fontSize"): Html {
  const range = page.bounds(name === "from" ? "AlertVariation" : "AlertStyle", name);
  return numberField({ ...field(page, name), bounds: range, hint: html`${formatRange(range)}` }, page.faults);
}

/** A field's own words for a value of the wrong form. */
function wordsOfFormat(own: Bilingual): (fault: Fault) => Bilingual | null {
  return ({ code }) => (code === "invalid_format" ? own : null);
}

const save = { th: "บันทึก", en: "Save" };

/** The script sends the form as soon as a file is chosen. */
function newFile({ site }: VariationPage): Html {
  const label = { th: "อัปโหลดภาพหรือเสียงใหม่", en: "Upload another image or sound" };
  return html`<div class="field">
${fileInput(label, html` aria-describedby="field-file-hint" data-uploads="upload"`, fileLimits)}
<button class="small" id="upload" formaction="${site.path(paths.attachFile)}" formenctype="multipart/form-data" formnovalidate>${bilingual({ th: "อัปโหลด", en: "Upload" })}</button>
</div>`;
}

function checks(legend: Bilingual, group: "sources" | "channels", all: readonly string[], ticked: readonly string[]): Html {
  const names: Readonly<Record<string, Bilingual>> = group === "sources" ? sourceLabels : channelLabels;
  const one = (value: string) =>
    checkField({ name: `${group} ${value}`, label: names[value] as Bilingual, checked: ticked.includes(value) });
  return html`<fieldset>
<legend>${bilingual(legend)}</legend>
<small>${bilingual({ th: "ไม่เลือกเลยหมายถึงทั้งหมด", en: "None ticked means all." })}</small>
${all.map(one)}
</fieldset>`;
}

/** Files that would be told in the same words get a number, the oldest the first. */
function filesOf(files: readonly AlertFile[], kind: AlertFile["kind"]): Choices {
  const told = (file: AlertFile) => `${file.name} – ${fileFacts(file)}`;
  return files
    .filter((file) => file.kind === kind)
    .map((file, _, all) => {
      const alike = all.filter((other) => told(other) === told(file));
      const words = alike.length === 1 ? told(file) : `${told(file)} (${alike.length - alike.indexOf(file)})`;
      return [file.id, { th: words, en: words }];
    });
}

const noLimit = { th: "เว้นว่างถ้าไม่จำกัด", en: "Empty: no upper limit." };
const asLong = { th: "เว้นว่างถ้าให้ยาวตามข้อความ", en: "Empty: as long as reading takes." };
const voiceOfSettings = { th: "เสียงที่เลือกในหน้าตั้งค่า", en: "the voice of the settings" };
const colours = {
  th: "สีแบบ #27c7a5 หรือ rgb(39, 199, 165) หรือชื่ออย่าง teal เว้นว่างถ้าใช้สีของธีม",
  en: "Any CSS colour, such as #27c7a5, rgb(39, 199, 165) or teal. Empty: the theme's.",
};
const noColour = { th: "ต้องเป็นสี เช่น #27c7a5, #fff หรือ teal", en: "Must be a colour, such as #27c7a5, #fff or teal." };
const deletedFile = { th: "ไฟล์ที่เลือกถูกลบไปแล้ว เลือกใหม่แล้วบันทึกอีกครั้ง", en: "The file was deleted meanwhile. Choose again, then save." };
const otherBraces = {
  th: "ในวงเล็บปีกกามีได้แต่ {name} {amount} และ {message}",
  en: "Only {name}, {amount} and {message} may stand in braces.",
};
const placeholders = {
  th: "ใช้ {name} {amount} {message} ได้ เว้นว่างถ้าให้จัดตามธีม",
  en: "May have {name}, {amount} and {message}. Empty: as the theme arranges them.",
};
