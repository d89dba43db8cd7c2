// A field of which one value is chosen by what it looks or sounds like: pictures, sounds, typefaces. It works without scripts.

import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { type Field, type FieldFaults, faultMessages } from "./fields.ts";

export type SampleChoice = Readonly<{
  value: string;
  words: Bilingual;
  /** An image or a film, or the class of a typeface; `sound`: heard at its address. */
  sample?: Readonly<{ image: string } | { film: string } | { sound: string } | { typeface: string }>;
}>;

export function sampleField({ choices, ...field }: Field & { choices: readonly SampleChoice[] }, faults: FieldFaults): Html {
  const { name, label, typed } = field;
  const wrong = (faults[name] ?? []).length > 0;
  return html`<fieldset class="field" role="radiogroup" id="field-${name}" aria-labelledby="field-${name}-label"${wrong && html` aria-invalid="true" aria-describedby="field-${name}-fault"`}>
<legend id="field-${name}-label">${bilingual(label)}</legend>
<div class="samples">${choices.map((choice, index) => sampleChoice(choice, { name, typed, id: `field-${name}-${index}` }))}</div>
${faultMessages(name, faults, field)}
</fieldset>`;
}

function sampleChoice(
  { value, words, sample = { typeface: "" } }: SampleChoice,
  { name, typed, id }: Pick<Field, "name" | "typed"> & { id: string },
): Html {
  const label = bilingual(words);
  const listen = bilingual({ th: html`ฟัง ${words.th}`, en: html`Listen to ${words.en}` });
  return html`<div>
<label for="${id}">${"image" in sample && html`<img src="${sample.image}" alt="" loading="lazy">`}${"film" in sample && html`<video src="${sample.film}" muted playsinline preload="metadata" aria-hidden="true"></video>`}
<input type="radio" id="${id}" name="${name}" value="${value}"${value === typed && html` checked`}>
<span${"typeface" in sample && sample.typeface !== "" && html` class="${sample.typeface}"`}>${label}</span></label>
${"sound" in sample && html`<audio controls controlslist="nodownload noplaybackrate" preload="none" src="${sample.sound}" aria-label="${listen}"></audio>`}
</div>`;
}
