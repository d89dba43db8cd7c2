// Form fields, each with its label, hint and fault messages, and how what was typed into them is read.

import { withArabicDigits } from "../../base/text.ts";
import type { Bounds } from "../../http/contract/published.ts";
import { type Fault, Problem } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { formatNumber } from "./donation.ts";

export type Field = Readonly<{
  name: string;
  label: Bilingual;
  typed: string;
  hint?: Html | string;
  bounds?: Bounds;
  /** Text for a fault instead of the usual message; null for the usual message. */
  words?: (fault: Fault) => Bilingual | null;
  /** Values to choose from, each with what it means; another one can be typed. */
  suggestions?: readonly (readonly [value: string, meaning: string])[];
  /** The variable of overlay and widgets that the colour sets: the script adds a palette, which begins with the theme's colour. */
  colour?: string;
  /** The script adds a slider over the bounds, in steps of so much. */
  slides?: number;
  /** The list item that a fault is about; null when it is about the whole field. */
  subject?: (fault: Fault) => string | null;
}>;

/** A one-line text field. */
export function textField(field: Field, faults: FieldFaults): Html {
  const { name, typed, colour, suggestions = [] } = field;
  const list = `${idOf(name)}-suggestions`;
  const suggestion = ([value, meaning]: readonly [string, string]) => html`<option value="${value}">${meaning}</option>`;
  return fieldFrame(
    field,
    faults,
    (
      attributes,
    ) => html`<input${attributes} value="${typed}" autocomplete="off"${colour && html` data-colour="${colour}" placeholder="${bilingual(ofTheme)}"`}${suggestions.length > 0 && html` list="${list}"`}>
${suggestions.length > 0 && html`<datalist id="${list}">${suggestions.map(suggestion)}</datalist>`}`,
  );
}

/** In the field of a colour that is not chosen. */
const ofTheme = { th: "สีของธีม", en: "Theme's" };

/** A password, which is never shown again. `isNew`: password managers may make one up. */
export function passwordField({ isNew, ...field }: Omit<Field, "typed"> & { isNew: boolean }, faults: FieldFaults): Html {
  const autocomplete = isNew ? "new-password" : "current-password";
  const input = (attributes: Html) => html`<input${attributes} type="password" autocomplete="${autocomplete}" required>`;
  return fieldFrame({ ...field, typed: "" }, faults, input);
}

/** A number field of type text, so that an invalid number is shown again as it was typed. */
export function numberField(field: Field, faults: FieldFaults): Html {
  const { typed, slides, bounds: { minimum = 0, maximum = 100 } = {} } = field;
  const slider = slides !== undefined && html` data-slides="${minimum} ${maximum} ${slides}"`;
  return fieldFrame(
    field,
    faults,
    (attributes) => html`<input${attributes} value="${typed}" inputmode="decimal" autocomplete="off"${slider}>`,
  );
}

export function dateField(field: Field, faults: FieldFaults): Html {
  return fieldFrame(field, faults, (attributes) => html`<input${attributes} type="date" value="${field.typed}">`);
}

export type Choices = readonly (readonly [value: string, label: Bilingual])[];

/** The values as choices, in this order, each with its words. */
export const choicesOf = <Value extends string>(values: readonly Value[], words: Readonly<Record<Value, Bilingual>>) =>
  values.map((value) => [value, words[value]] as const);

/** A list of which one value is chosen. */
export function choiceField({ choices, ...field }: Field & { choices: Choices }, faults: FieldFaults): Html {
  return fieldFrame(field, faults, (attributes) => html`<select${attributes}>${options(choices, field.typed)}</select>`);
}

/** What stands in a list: the choices, of which one is chosen. */
export function options(choices: Choices, chosen: string): Html[] {
  return choices.map(([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${bilingual(label)}</option>`);
}

/** A text area. The first line break after the tag is not part of the text (HTML 13.1.2.5). */
export function textAreaField(field: Field, faults: FieldFaults): Html {
  return fieldFrame(
    field,
    faults,
    (attributes) => html`<textarea${attributes} rows="4" spellcheck="false">
${field.typed}</textarea>`,
  );
}

/** A checkbox with its label beside it. */
export function checkField({ name, label, hint, checked }: Omit<Field, "typed"> & { checked: boolean }): Html {
  const id = idOf(name);
  return html`<div class="check">
<input type="checkbox" id="${id}" name="${name}"${checked && html` checked`}${hint && html` aria-describedby="${id}-hint"`}>
<label for="${id}">${bilingual(label)}</label>
${hint && html`<small id="${id}-hint">${hint}</small>`}
</div>`;
}

type Radio = Readonly<{
  id: string;
  name: string;
  value: string;
  label: Bilingual;
  hint?: Bilingual;
  checked: boolean;
  isRequired?: boolean;
}>;

/** One of the radio buttons of a field, with its label beside it. */
export function radioField({ id, name, value, label, hint, checked, isRequired = false }: Radio): Html {
  return html`<div class="check">
<input type="radio" id="${id}" name="${name}" value="${value}"${hint && html` aria-describedby="${id}-hint"`}${isRequired && html` required`}${checked && html` checked`}>
<label for="${id}">${bilingual(label)}</label>
${hint && html`<small id="${id}-hint">${bilingual(hint)}</small>`}
</div>`;
}

/**
 * What Enter presses, first in a form in which another button stands before the main one: browsers press a form's first button (HTML
 * 4.10.21.2). It is out of sight rather than hidden, because Safari presses only one that is rendered.
 */
export function enterButton(words: Bilingual): Html {
  return html`<button class="skip" tabindex="-1" aria-hidden="true">${bilingual(words)}</button>`;
}

/** An alert with links to the fields that have faults; null when there are none. */
export function faultSummary(faults: FieldFaults, labels: Readonly<Record<string, Bilingual>>): Html | null {
  const names = Object.keys(faults);
  if (names.length === 0) return null;
  const link = (name: string) => html`<li>${labels[name] ? html`<a href="#${idOf(name)}">${bilingual(labels[name])}</a>` : name}</li>`;
  return html`<div class="wrong" role="alert">
<p>${bilingual({ th: "ยังไม่สำเร็จ โปรดแก้ไขช่องต่อไปนี้", en: "Please correct:" })}</p>
<ul>${names.map(link)}</ul>
</div>`;
}

function fieldFrame(field: Field, faults: FieldFaults, control: (attributes: Html) => Html): Html {
  const { name, label, hint } = field;
  const id = idOf(name);
  const wrong = faults[name] ?? [];
  const described = [hint && `${id}-hint`, wrong.length > 0 && `${id}-fault`].filter(Boolean).join(" ");
  const attributes = html` id="${id}" name="${name}"${wrong.length > 0 && html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}`;
  return html`<div class="field">
<label for="${id}">${bilingual(label)}</label>
${hint && html`<small id="${id}-hint">${hint}</small>`}
${control(attributes)}
${faultMessages(name, faults, field)}
</div>`;
}

export function faultMessages(name: string, faults: FieldFaults, about: Partial<Field> = {}): Html | null {
  const wrong = faults[name] ?? [];
  if (wrong.length === 0) return null;
  return html`<div class="fault" id="${idOf(name)}-fault">${wrong.map((fault) => faultMessage(about, fault))}</div>`;
}

function faultMessage({ bounds = {}, subject, words }: Partial<Field>, fault: Fault): Html {
  const own = words?.(fault) ?? { th: thaiMessage(fault, bounds), en: sentence(fault.message) };
  const about = subject?.(fault);
  return html`<p>${about && html`<bdi>“${about}”</bdi> `}${bilingual(own)}</p>`;
}

function thaiMessage({ code, message }: Fault, bounds: Bounds): string {
  const { minimum, exclusiveMinimum, maximum, maxLength, maxItems } = bounds;
  if (code === "required" || code === "too_short") return "ต้องกรอกช่องนี้";
  if (code === "too_long") return maxLength === undefined ? "ยาวเกินไป" : `ยาวได้ไม่เกิน ${maxLength} ตัวอักษร`;
  if (code === "too_many_items") return maxItems === undefined ? "มากเกินไป" : `ได้ไม่เกิน ${maxItems} รายการ`;
  if (code === "invalid_type") return "ต้องเป็นตัวเลข";
  if (code === "invalid_format") return ["รูปแบบไม่ถูกต้อง", / such as .+$/.exec(message)?.[0].replace("such as", "ต้องเป็นเช่น")].join("");
  if (code !== "out_of_range" || maximum === undefined) return "ค่านี้ใช้ไม่ได้";
  if (minimum !== undefined) return `ต้องอยู่ระหว่าง ${formatNumber(minimum)} ถึง ${formatNumber(maximum)}`;
  return `ต้องมากกว่า ${formatNumber(exclusiveMinimum ?? 0)} และไม่เกิน ${formatNumber(maximum)}`;
}

/** Whether the typed number is within the field's bounds, so that a fault can only be about its relation to another field. */
export function isInRange(typed: string, { minimum = 0, maximum = 0 }: Bounds): boolean {
  const value = readNumber(typed);
  return typeof value === "number" && value >= minimum && value <= maximum;
}

/** The allowed numbers, for the hint of a number field. */
export function formatRange({ minimum, exclusiveMinimum, maximum = 0 }: Bounds): Html {
  if (minimum !== undefined) return html`${formatNumber(minimum)}–${formatNumber(maximum)}`;
  const [above, most] = [formatNumber(exclusiveMinimum ?? 0), formatNumber(maximum)];
  return bilingual({ th: `มากกว่า ${above} ไม่เกิน ${most}`, en: `More than ${above}, at most ${most}` });
}

/** The message of a fault as a sentence in English. */
export function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

function idOf(name: string): string {
  return `field-${name.replace(/[^A-Za-z]/g, "-")}`;
}

/** Faults by the name of their field: the parameter, or the pointer without its list positions: `goal.title`, `blockedWords`. */
export type FieldFaults = Readonly<Record<string, readonly Fault[]>>;

/** Runs `act`. Resolves to the faults when it throws validation_failed, and to null when it succeeds. */
export async function faultsByField(act: () => Promise<unknown>): Promise<FieldFaults | null> {
  try {
    await act();
    return null;
  } catch (error) {
    const faults = validationFaults(error);
    if (!faults) throw error;
    return faults;
  }
}

/** The fields that have a fault. */
export function withFaults(faults: Readonly<Record<string, Fault | false | null>>): FieldFaults {
  return Object.fromEntries(Object.entries(faults).flatMap(([field, fault]) => (fault ? [[field, [fault]]] : [])));
}

/** The faults of validation_failed and invalid_range; null for any other error. */
export function validationFaults(error: unknown): FieldFaults | null {
  if (!(error instanceof Problem) || (error.code !== "validation_failed" && error.code !== "invalid_range")) return null;
  return Object.groupBy(error.extras.errors ?? [], fieldOf) as FieldFaults;
}

/** Faults of an item of a list by its members: those of `variations.style.size` become those of `size`. */
export function faultsByMember(faults: FieldFaults): FieldFaults {
  return Object.fromEntries(Object.entries(faults).map(([name, found]) => [name.split(".").at(-1) as string, found]));
}

const grouped = /^-?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;

/**
 * Reads a number as people type it, including thousands separators and Thai digits. Any other text is returned as it is, so that the
 * contract reports what is wrong with it: "1,50" may mean 1.5, and is not read as 150.
 */
export function readNumber(typed: string): number | string {
  const digits = withArabicDigits(typed).replace(/\s/g, "");
  const plain = grouped.test(digits) ? digits.replaceAll(",", "") : digits;
  return /^-?(?:\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : typed;
}

/** The position of the list item that the fault is about; null for a fault that is not about an item. */
export function positionOf({ pointer = "" }: Fault): number | null {
  const [position] = /\d+$/.exec(pointer) ?? [];
  return position === undefined ? null : Number(position);
}

function fieldOf({ parameter, pointer = "" }: Fault): string {
  if (parameter !== undefined) return parameter;
  return pointer
    .split("/")
    .slice(1)
    .filter((name) => !/^\d+$/.test(name))
    .join(".");
}

/** Every time zone that this server knows, by its name in the IANA database. */
export const timeZones: readonly string[] = [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC"])].sort();

/** The time zone that the form's field `timeZone` names; null for one that no form offers. */
export function readTimeZone(form: URLSearchParams): string | null {
  return timeZones.find((known) => known === form.get("timeZone")) ?? null;
}
