// Renders the alert designer: the variations in their order, the gallery of themes, and the uploaded files.

import type { AlertFile } from "../../alerts/media/alert-files.ts";
import type { Settings } from "../../alerts/settings/settings.ts";
import { type Html, html } from "../../ui/html.ts";
import { type IconName, icon } from "../../ui/icons.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { mainAction, type PageContext, pageForm, studioPage } from "../components/frame.ts";
import { stage } from "../components/stage.ts";
import { paths, variationAddress } from "../paths.ts";
import { type FileUser, fileFacts, fileInput, fileLimits, variationsWith } from "./alert-files.ts";
import { amountLine, amountScale, amountWords } from "./amount-line.ts";
import { previewAddress } from "./samples.ts";
import { newVariationForm, themeNames, themes, toVariationForm, type VariationForm } from "./variation-form.ts";
import { findCover, gapsOf } from "./variation-order.ts";

type DesignerPage = PageContext &
  Readonly<{
    variations: Settings["variations"];
    /** Names the list. */
    version: string;
    files: readonly AlertFile[];
    /** The largest amount that a donation can have, in baht. */
    most: number;
  }>;

export function designerPage(page: DesignerPage): PageReply {
  const { site, variations, files } = page;
  return studioPage({
    ...page,
    here: paths.designer,
    frames: true,
    audio: true,
    title: { th: "ออกแบบแจ้งเตือน", en: "Alert designer" },
    action: mainAction(site.path(paths.variation), { th: "เพิ่มรูปแบบ", en: "New variation" }),
    content: html`<section class="card" aria-labelledby="variations">
<h2 id="variations">${bilingual({ th: "รูปแบบ", en: "Variations" })}</h2>
<p class="note">${bilingual(order)}</p>
${variations.length > 0 && html`<ol class="entries">${variations.map((one, place) => entry(page, one, place))}</ol>`}
${defaultLook(page)}
${amountScale(page.most)}
</section>
<section class="card" aria-labelledby="themes">
<h2 id="themes">${bilingual({ th: "ธีม", en: "Themes" })}</h2>
<ul class="gallery">${themes.map((theme) => themeCard(page, theme))}</ul>
</section>
<section class="card" aria-labelledby="files">
<h2 id="files">${bilingual({ th: "ภาพและเสียง", en: "Images and sounds" })}</h2>
<p class="note">${bilingual(fileLimits)}</p>
${pageForm(page, paths.uploadFile, { content: fileField, multipart: true })}
${files.length > 0 && html`<ul class="gallery">${files.map((file) => fileEntry(page, file))}</ul>`}
</section>`,
  });
}

const order = {
  th: "โดเนทแต่ละรายการใช้รูปแบบแรกที่ตรงกับจำนวนเงินและช่องทาง ถ้าไม่ตรงเลยจะใช้แบบเริ่มต้น",
  en: "A donation gets the first variation that fits its amount and where it came from, and else the default look.",
};
const fileField = html`<div class="field">
${fileInput({ th: "ลากไฟล์มาวาง หรือเลือกไฟล์", en: "Drop a file here, or choose one" }, html` required`)}
</div>
<button class="main">${bilingual({ th: "อัปโหลด", en: "Upload" })}</button>`;

type Variation = Settings["variations"][number];

function entry(page: DesignerPage, variation: Variation, place: number): Html {
  const { site, variations, most } = page;
  const { name, style } = variation;
  return html`<li class="narrow">
${thumbnail(site, toVariationForm(variation))}
<div class="entry">
<p><a href="${site.path(variationAddress(place, ""))}">${isolated(name)}</a> <span class="amount">${amountWords(variation)}</span></p>
<p class="marks"><span class="label">${bilingual(themeNames[style.theme])}</span></p>
${neverPlays(page, place)}
</div>
<div class="buttons">
${place > 0 && step(page, place, { to: "up", th: "ขึ้น", en: "Up", icon: "arrow-up" })}
${place < variations.length - 1 && step(page, place, { to: "down", th: "ลง", en: "Down", icon: "arrow-down" })}
${pageForm(page, paths.testVariation, {
  content: html`<input type="hidden" name="place" value="${place}">
<button class="small" aria-label="${bilingual({ th: `ทดสอบบนสตรีม: ${name}`, en: `Test on stream: ${name}` })}">${icon("send")}<span>${bilingual({ th: "ทดสอบบนสตรีม", en: "Test on stream" })}</span></button>`,
})}
<details>
<summary>${bilingual({ th: "ลบ…", en: "Delete…" })}</summary>
<p class="note">${bilingual(deletion)}</p>
${step(page, place, { to: "away", th: "ลบรูปแบบนี้", en: "Delete this variation" })}
</details>
</div>
${amountLine([variation], most)}
</li>`;
}

/** What no variation is for, so that gaps between them are seen. */
function defaultLook({ site, variations, most }: DesignerPage): Html {
  const gaps = gapsOf(variations, most);
  const words = gaps.map((gap, place) => html`${place > 0 && ", "}${amountWords(gap)}`);
  return html`<ul class="entries rest"><li class="narrow">
${thumbnail(site, newVariationForm(""))}
<div class="entry">
<p><strong>${bilingual({ th: "แบบเริ่มต้น", en: "Default look" })}</strong></p>
<p class="marks">${gaps.length > 0 ? words : bilingual({ th: "รูปแบบข้างบนรับทุกจำนวนแล้ว", en: "The variations above take every amount." })}</p>
</div>
${amountLine(gaps, most)}
</li></ul>`;
}

/** It stands still, and says what the entry beside it says. */
function thumbnail(site: PageContext["site"], form: VariationForm, title: Html | string = ""): Html {
  const preview = previewAddress(site, form, { plays: false, turn: 0, volume: 0 });
  const hidden = title === "" && html` aria-hidden="true"`;
  return stage(site, html`<iframe src="${preview}" title="${title}" loading="lazy" tabindex="-1"${hidden}></iframe>`);
}

/** Only when it is certain: one variation above it takes every donation that it is for. */
function neverPlays(page: DesignerPage, place: number): Html | null {
  const cover = findCover(page.variations, place);
  if (cover === null) return null;
  const name = isolated(page.variations[cover]?.name ?? "");
  return html`<div class="wrong">
<p>${bilingual({
    th: html`รูปแบบนี้จะไม่แสดงเลย เพราะ “${name}” ซึ่งอยู่เหนือกว่ารับโดเนทของรูปแบบนี้ไปหมด`,
    en: html`Never plays: “${name}” above takes all of its donations.`,
  })}</p>
${step(page, place, { to: "above", th: "ย้ายขึ้นไปเหนือรูปแบบนั้น", en: "Move it above that one" })}
</div>`;
}

const deletion = {
  th: "กู้คืนไม่ได้ โดเนทที่เคยใช้รูปแบบนี้จะใช้รูปแบบถัดไปที่ตรง หรือแบบเริ่มต้น",
  en: "This can't be undone. Its donations get the next variation that fits, or the default look.",
};

type Step = Readonly<{ to: string; th: string; en: string; icon?: IconName }>;

/** A step with an icon is named by it alone. */
function step(page: DesignerPage, place: number, { to, th, en, icon: sign }: Step): Html {
  const { version, variations } = page;
  const name = variations[place]?.name;
  const content = html`<input type="hidden" name="place" value="${place}">
<input type="hidden" name="version" value="${version}">
<button class="small" name="to" value="${to}" aria-label="${bilingual({ th: `${th}: ${name}`, en: `${en}: ${name}` })}"${sign && html` title="${bilingual({ th, en })}"`}>${sign ? icon(sign) : bilingual({ th, en })}</button>`;
  return pageForm(page, paths.moveVariation, { content });
}

function themeCard({ site }: DesignerPage, theme: (typeof themes)[number]): Html {
  const { th, en } = themeNames[theme];
  return html`<li>
${thumbnail(site, newVariationForm(theme), bilingual({ th, en }))}
<p><a href="${site.path(variationAddress(null, theme))}">${bilingual({ th, en })}</a></p>
</li>`;
}

function fileEntry(page: DesignerPage, file: AlertFile): Html {
  const { id, kind, name, mime } = file;
  const { site, variations } = page;
  const users = variationsWith(id, variations);
  const address = site.path(`/media?id=${id}`);
  const label = bilingual({ th: `ฟัง ${name}`, en: `Listen to ${name}` });
  return html`<li>
<div class="thumbnail">
${kind === "image" && mime !== "video/webm" && html`<img src="${address}" alt="" loading="lazy">`}
${mime === "video/webm" && html`<video src="${address}" muted playsinline preload="metadata" aria-hidden="true"></video>`}
${kind === "sound" && html`<audio controls preload="none" src="${address}" aria-label="${label}"></audio>`}
</div>
<p>${isolated(name)}</p>
<p class="marks">${fileFacts(file)}</p>
${users.length > 0 && usedBy(site, users)}
${users.length === 0 && fileDeletion(page, file)}
</li>`;
}

/** Names the variations that have to choose another file before this one can be deleted. */
function usedBy(site: PageContext["site"], users: readonly FileUser[]): Html {
  const link = ({ name, place }: FileUser, at: number) =>
    html`${at > 0 && ", "}<a href="${site.path(variationAddress(place, ""))}">${isolated(name)}</a>`;
  return html`<p class="note">${bilingual({ th: "ใช้อยู่ในรูปแบบ", en: "In use by" })} ${users.map(link)}</p>`;
}

function fileDeletion({ site, account }: DesignerPage, { id, name }: AlertFile): Html {
  const words = { th: "ลบไฟล์นี้", en: "Delete this file" };
  const content = html`<input type="hidden" name="file" value="${id}">
<button class="small danger" aria-label="${bilingual({ th: `${words.th}: ${name}`, en: `${words.en}: ${name}` })}">${bilingual(words)}</button>`;
  return html`<div class="buttons">
<details>
<summary>${bilingual({ th: "ลบ…", en: "Delete…" })}</summary>
<p class="note">${bilingual({ th: "กู้คืนไม่ได้ ถ้าจะใช้อีกต้องอัปโหลดใหม่", en: "This can't be undone. To use it again, upload it again." })}</p>
${pageForm({ site, account }, paths.deleteFile, { content })}
</details>
</div>`;
}
