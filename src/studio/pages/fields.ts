// Fields of forms, each with its label, its hint and what is wrong with it.

import type { Bounds } from "../../http/contract.ts";
import type { Fault } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { inBoth, type Words } from "../../ui/layout.ts";
import { type FieldFaults, readNumber } from "../faults.ts";

export type Field = Readonly<{
  name: string;
  label: Words;
  typed: string;
  hint?: Html;
  bounds?: Bounds;
  /** Instead of the usual words for a fault. */
  words?: (fault: Fault) => Words | null;
  /** What a fault is about, when a field holds a list. */
  subject?: (fault: Fault) => string | null;
}>;

/** A line of text. */
export function textField(field: Field, faults: FieldFaults): Html {
  return framed(field, faults, (attributes) => html`<input${attributes} value="${field.typed}" autocomplete="off">`);
}

/** A number; as text, so that what is no number comes back as it was typed. */
export function numberField(field: Field, faults: FieldFaults): Html {
  return framed(field, faults, (attributes) => html`<input${attributes} value="${field.typed}" inputmode="decimal" autocomplete="off">`);
}

export function dateField(field: Field, faults: FieldFaults): Html {
  return framed(field, faults, (attributes) => html`<input${attributes} type="date" value="${field.typed}">`);
}

/** Several lines. The first line break behind the tag is not part of the text (HTML 13.1.2.5). */
export function linesField(field: Field, faults: FieldFaults): Html {
  return framed(
    field,
    faults,
    (attributes) => html`<textarea${attributes} rows="4" spellcheck="false">
${field.typed}</textarea>`,
  );
}

/** A box with its label beside it. */
export function checkField({ name, label, hint, checked }: Omit<Field, "typed"> & { checked: boolean }): Html {
  const id = idOf(name);
  return html`<div class="check">
<input type="checkbox" id="${id}" name="${name}"${checked && html` checked`}${hint && html` aria-describedby="${id}-hint"`}>
<label for="${id}">${inBoth(label)}</label>
${hint && html`<small id="${id}-hint">${hint}</small>`}
</div>`;
}

/** Says that something is wrong, with links to the fields. */
export function faultSummary(faults: FieldFaults, labels: Readonly<Record<string, Words>>): Html | null {
  const names = Object.keys(faults);
  if (names.length === 0) return null;
  const link = (name: string) => html`<li>${labels[name] ? html`<a href="#${idOf(name)}">${inBoth(labels[name])}</a>` : name}</li>`;
  return html`<div class="wrong" role="alert">
<p>${inBoth({ th: "ยังไม่สำเร็จ โปรดแก้ไขช่องต่อไปนี้", en: "Not done yet. Please correct:" })}</p>
<ul>${names.map(link)}</ul>
</div>`;
}

function framed(field: Field, faults: FieldFaults, control: (attributes: Html) => Html): Html {
  const { name, label, hint } = field;
  const id = idOf(name);
  const wrong = faults[name] ?? [];
  const described = [hint && `${id}-hint`, wrong.length > 0 && `${id}-fault`].filter(Boolean).join(" ");
  const attributes = html` id="${id}" name="${name}"${wrong.length > 0 && html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}`;
  return html`<div class="field">
<label for="${id}">${inBoth(label)}</label>
${hint && html`<small id="${id}-hint">${hint}</small>`}
${control(attributes)}
${faultText(name, faults, field)}
</div>`;
}

/** What is wrong with a field. */
export function faultText(name: string, faults: FieldFaults, about: FaultWords = {}): Html | null {
  const wrong = faults[name] ?? [];
  if (wrong.length === 0) return null;
  return html`<div class="fault" id="${idOf(name)}-fault">${wrong.map((fault) => faultLine(about, fault))}</div>`;
}

type FaultWords = Pick<Field, "bounds" | "subject" | "words">;

function faultLine({ bounds = {}, subject, words }: FaultWords, fault: Fault): Html {
  const own = words?.(fault) ?? { th: inThai(fault, bounds), en: `${capital(fault.message)}.` };
  const about = subject?.(fault);
  return html`<p>${about && html`<bdi>“${about}”</bdi> `}${inBoth(own)}</p>`;
}

function inThai({ code }: Fault, bounds: Bounds): string {
  const { minimum, exclusiveMinimum, maximum, maxLength, maxItems } = bounds;
  if (code === "required" || code === "too_short") return "ต้องกรอกช่องนี้";
  if (code === "too_long") return maxLength === undefined ? "ยาวเกินไป" : `ยาวได้ไม่เกิน ${maxLength} ตัวอักษร`;
  if (code === "too_many_items") return maxItems === undefined ? "มากเกินไป" : `ได้ไม่เกิน ${maxItems} รายการ`;
  if (code === "invalid_type") return "ต้องเป็นตัวเลข";
  if (code === "invalid_format") return "รูปแบบไม่ถูกต้อง";
  if (code !== "out_of_range" || maximum === undefined) return "ค่านี้ใช้ไม่ได้";
  if (minimum !== undefined) return `ต้องอยู่ระหว่าง ${number(minimum)} ถึง ${number(maximum)}`;
  return `ต้องมากกว่า ${number(exclusiveMinimum ?? 0)} และไม่เกิน ${number(maximum)}`;
}

/** Whether a number is one that a field takes by itself, so that a fault is about another field as well. */
export function isWithin(typed: string, { minimum = 0, maximum = 0 }: Bounds): boolean {
  const value = readNumber(typed);
  return typeof value === "number" && value >= minimum && value <= maximum;
}

/** What may stand in a number field, for its hint. */
export function range({ minimum, exclusiveMinimum, maximum = 0 }: Bounds): string {
  return minimum === undefined ? `> ${number(exclusiveMinimum ?? 0)}, ≤ ${number(maximum)}` : `${number(minimum)}–${number(maximum)}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function idOf(name: string): string {
  return `field-${name.replace(/[^A-Za-z]/g, "-")}`;
}
