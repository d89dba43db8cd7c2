// Renders the page of one variation: the preview and the form.

import type { AlertFile } from "../../alerts/media/alert-files.ts";
import { boundsOf } from "../../http/contract/published.ts";
import { type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { describedField, fieldOf, labelsOf } from "../components/described-form.ts";
import { type Choices, checkField, enterButton, type FieldFaults, faultSummary, formatRange, options } from "../components/fields.ts";
import { type PageContext, pageForm, studioPage } from "../components/frame.ts";
import { sampleField } from "../components/sample-field.ts";
import { stage } from "../components/stage.ts";
import { listenButton, speaks, type Voices, voiceField } from "../components/voice-field.ts";
import { paths, variationAddress } from "../paths.ts";
import { fileFacts, fileInput, fileLimits } from "./alert-files.ts";
import { fontSamples, imageChoices, shownChoice, soundChoices } from "./library-choices.ts";
import { samples } from "./samples.ts";
import { type VariationForm, variationForm } from "./variation-form.ts";

type VariationPage = PageContext &
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

export function variationPage(page: VariationPage): PageReply {
  const { site, faults, preview } = page;
  const { variations: listFault, ...fieldFaults } = faults;
  const form = pageForm(page, paths.variation, { content: fields(page), id: "variation" });
  const frame = html`<iframe data-preview="${site.path(paths.previewVariation)}" src="${preview}" title="${bilingual({ th: "ตัวอย่าง", en: "Preview" })}" tabindex="-1"></iframe>`;
  return studioPage({
    ...page,
    here: paths.designer,
    frames: true,
    audio: true,
    action: html`<a href="${site.path(paths.designer)}">${bilingual({ th: "กลับไปที่รายการ", en: "Back to the list" })}</a>`,
    title: page.place === null ? { th: "รูปแบบใหม่", en: "New variation" } : { th: "แก้ไขรูปแบบ", en: "Edit variation" },
    content: html`${listFault && html`<p class="wrong" role="alert">${bilingual(tooMany)}</p>`}${faultSummary(fieldFaults, labelsOf(variationForm))}
<div class="columns designer" data-here="${site.path(variationAddress(page.place, page.typed.theme))}">
${form}
<section class="card stuck" aria-labelledby="preview">
<h2 id="preview">${bilingual({ th: "ตัวอย่าง", en: "Preview" })}</h2>
${stage(site, frame, true)}
${previewFields(page)}
</section>
</div>`,
  });
}

const tooMany = { th: "มีรูปแบบได้ไม่เกิน 20 รูปแบบ", en: "There can be at most 20 variations." };

/** These belong to the form as well, and save nothing. */
function previewFields({ site, typed }: VariationPage): Html {
  const choices = Object.entries(samples).map(([name, { label }]) => [name, label] as const);
  const button = (words: Bilingual, attributes: Html, sign: Html | null = null) =>
    html`<button form="variation" formaction="${site.path(paths.previewVariation)}" formnovalidate data-previews${attributes}>${sign}${bilingual(words)}</button>`;
  return html`<div class="tools in-row"><div class="field">
<label for="field-sample">${bilingual(variationForm.fields.sample.label)}</label>
<select id="field-sample" name="sample" form="variation">${options(choices, typed.sample)}</select>
</div>
<div class="buttons">
${button({ th: "ดูตัวอย่าง", en: "Update preview" }, html` class="unscripted"`)}
${button({ th: "เล่นพร้อมเสียง", en: "Play with sound" }, html` name="play" value="1"`, icon("play"))}
</div></div>`;
}

function fields(page: VariationPage): Html {
  const { place, version } = page;
  return html`${enterButton(save)}
<input type="hidden" name="place" value="${place ?? ""}">
<input type="hidden" name="version" value="${version}">
${panel({ th: "โดเนทใดบ้าง", en: "Which donations" }, donationFields(page))}
${panel({ th: "หน้าตา", en: "Look" }, lookFields(page))}
${panel({ th: "ข้อความและภาพ", en: "Text and image" }, contentFields(page))}
${panel({ th: "เสียงและเวลา", en: "Sound and time" }, soundFields(page))}
<div class="buttons save">
<button class="main">${bilingual(save)}</button>
<button name="test" value="1">${bilingual({ th: "บันทึกและทดสอบบนสตรีม", en: "Save and test on stream" })}</button>
</div>`;
}

function panel(title: Bilingual, content: Html): Html {
  return html`<details class="card panel" open><summary><h2>${bilingual(title)}</h2></summary>${content}</details>`;
}

function donationFields(page: VariationPage): Html {
  const { field } = fieldsOf(page);
  return html`${field("name")}
<div class="pair">
${field("from")}
${field("to", { hint: bilingual(noLimit), bounds: {} })}
</div>
<details${page.typed.sources.length + page.typed.channels.length > 0 && html` open`}>
<summary>${bilingual({ th: "เฉพาะบางที่มาหรือบางช่องทาง…", en: "Only some sources or channels…" })}</summary>
${checks(page, "sources")}
${checks(page, "channels")}
</details>`;
}

function lookFields(page: VariationPage): Html {
  const { shown, field } = fieldsOf(page);
  return html`${field("theme")}
${field("position")}
<div class="pair">
${field("size")}
${field("fontSize")}
</div>
${sampleField({ ...fieldOf(shown, "font"), choices: fontSamples(variationForm.fields.font.choices) }, page.faults)}
<p class="note">${bilingual(colours)}</p>
<div class="pair">
${field("cardColor")}
${field("textColor")}
${field("accentColor")}
${field("secondColor")}
</div>
<div class="pair">
${field("enter")}
${field("leave")}
</div>
${field("confetti")}`;
}

function contentFields(page: VariationPage): Html {
  const { shown, field } = fieldsOf(page);
  const { site, typed, files } = page;
  const { image: own, libraryImage: ofLibrary } = typed;
  const image = { ...fieldOf(shown, "image"), typed: shownChoice(own, ofLibrary) };
  return html`${field("template")}
${sampleField({ ...image, choices: imageChoices(site, filesOf(files, "image"), files) }, page.faults)}
${newFile(page)}`;
}

function soundFields(page: VariationPage): Html {
  const { shown, field } = fieldsOf(page);
  const { site, typed, faults, files, voices } = page;
  const { sound: own, librarySound: ofLibrary } = typed;
  const sound = { ...fieldOf(shown, "sound"), typed: shownChoice(own, ofLibrary) };
  const seconds = html`${formatRange(boundsOf("AlertVariation", "seconds"))}. ${bilingual(asLong)}`;
  return html`${sampleField({ ...sound, choices: soundChoices(site, filesOf(files, "sound")) }, faults)}
${field("seconds", { hint: seconds })}
${field("speak")}
${voiceField({ ...fieldOf(shown, "voice"), unset: voiceOfSettings }, voices, faults)}
${speaks(voices) && listenButton({ site, voice: typed.voice, inherits: true, sample: typed.sample, ...page.spoken })}`;
}

function fieldsOf({ typed, faults }: VariationPage) {
  const shown = { form: variationForm, typed, faults };
  const field = (name: keyof VariationForm, more?: Parameters<typeof describedField>[2]) => describedField(shown, name, more);
  return { shown, field };
}

const save = { th: "บันทึก", en: "Save" };

/** The script sends the form as soon as a file is chosen. */
function newFile({ site }: VariationPage): Html {
  const label = { th: "ลากภาพหรือเสียงมาวาง หรือเลือกไฟล์", en: "Drop an image or a sound here, or choose one" };
  return html`<div class="field">
${fileInput(label, html` aria-describedby="field-file-hint" data-uploads="upload"`, fileLimits)}
<button class="small" id="upload" formaction="${site.path(paths.attachFile)}" formenctype="multipart/form-data" formnovalidate>${bilingual({ th: "อัปโหลด", en: "Upload" })}</button>
</div>`;
}

function checks({ typed }: VariationPage, group: "sources" | "channels"): Html {
  const { label, choices } = variationForm.fields[group];
  const one = ([value, words]: Choices[number]) =>
    checkField({ name: `${group} ${value}`, label: words, checked: typed[group].includes(value) });
  return html`<fieldset>
<legend>${bilingual(label)}</legend>
<small>${bilingual({ th: "ไม่เลือกเลยหมายถึงทั้งหมด", en: "None ticked means all." })}</small>
<div class="checks">${choices.map(one)}</div>
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
