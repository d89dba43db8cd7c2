// A form whose fields are described once. From the description follows how a field is read and shown, how a fault names it, and which member
// of the contract it becomes. Bounds come from the contract.

import culori from "culori/require"; // one file instead of 150, which a start would load
import { type Bounds, boundsOf } from "../../http/contract/published.ts";
import type { Fault } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, type Words } from "../../ui/layout.ts";
import {
  type Choices,
  checkField,
  choiceField,
  dateField,
  type Field,
  type FieldFaults,
  faultMessages,
  formatRange,
  numberField,
  readNumber,
  textAreaField,
  textField,
} from "./fields.ts";

/** `lines`: a list with an item on each line. `several`: ticked boxes, each named by the field and its value. */
type Kind = "text" | "longText" | "lines" | "number" | "day" | "choice" | "colour" | "voice" | "check" | "several";

export type FieldDescription = Readonly<{
  kind: Kind;
  label: Words;
  /** Of a number it stands behind the allowed range. */
  hint?: Bilingual;
  /** The values that are offered, each with its name. */
  choices?: Choices;
  /** What the name of each box begins with: `scope` for `scope read:donations`; by default the field's name. */
  box?: string;
  /** The member of the contract that it becomes, `style.theme` for one of a member; by default the field's name. Null: the form's alone. */
  member?: string | null;
  /** A limit that is the studio's alone. */
  bounds?: Bounds;
  /** What nothing stands for: null, or a member that is left out. By default what was typed is for the contract to refuse. */
  empty?: null | "absent";
  /** Text for a fault instead of the usual message; null for the usual message. */
  words?: (fault: Fault, about: Readonly<{ typed: string; bounds: Bounds }>) => Bilingual | null;
  /** The variable of overlay and widgets that a colour sets. */
  colour?: string;
  /** Of a number that has a slider: its steps. */
  slides?: number;
}>;

export type DescribedForm = Readonly<{
  /** The schema of the members; without one a description has the bounds. */
  schema?: string;
  /** The schemas of the members of members: `{ goal: "Goal" }`. */
  schemas?: Readonly<Record<string, string>>;
  fields: Readonly<Record<string, FieldDescription>>;
}>;

type TypedOf<Description> = Description extends { kind: "check" }
  ? boolean
  : Description extends { kind: "several" }
    ? readonly string[]
    : string;

/** The fields as they were typed. */
export type Typed<Form extends DescribedForm> = Readonly<{ [Name in keyof Form["fields"]]: TypedOf<Form["fields"][Name]> }>;

type Members = Readonly<Record<string, unknown>>;
type AnyTyped = string | boolean | readonly string[];

/** Reads what was typed. */
export function readTyped<Form extends DescribedForm>({ fields }: Form, sent: URLSearchParams): Typed<Form> {
  const read = ([name, { kind, choices = [], box = name }]: [string, FieldDescription]): AnyTyped => {
    if (kind === "check") return sent.has(name);
    if (kind === "several") return choices.map(([value]) => value).filter((value) => sent.has(`${box} ${value}`));
    const text = (sent.get(name) ?? "").replaceAll("\r\n", "\n");
    return kind === "text" || kind === "voice" || kind === "day" ? text.trim() : text;
  };
  return Object.fromEntries(Object.entries(fields).map((one) => [one[0], read(one)])) as Typed<Form>;
}

/** Shows members of the contract as they would be typed. */
export function toTyped<Form extends DescribedForm>({ fields }: Form, members: Members): Typed<Form> {
  const write = ([name, { kind, member = name }]: [string, FieldDescription]): AnyTyped => {
    const value = member === null ? null : valueAt(members, member);
    if (kind === "check") return value === true;
    if (kind === "several") return (value as readonly string[] | null) ?? [];
    return kind === "lines" ? (value as readonly string[]).join("\n") : String(value ?? "");
  };
  return Object.fromEntries(Object.entries(fields).map((one) => [one[0], write(one)])) as Typed<Form>;
}

/** The members that the contract will check, with whatever was typed. */
export function toMembers<Form extends DescribedForm>({ fields }: Form, typed: Typed<Form>): Record<string, unknown> {
  return build({ fields }, (name, description) => memberValue(description, typed[name as keyof typeof typed] as AnyTyped));
}

/** The members that have a field. An update is refused with others, which are stored if a later contract was in use before. */
export function knownMembers(form: DescribedForm, saved: Members): Record<string, unknown> {
  return build(form, (name, { member }) => valueAt(saved, member ?? name));
}

/** `read`: the value of a field's member; undefined leaves it out. */
function build({ fields }: DescribedForm, read: (name: string, description: FieldDescription) => unknown): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, description] of Object.entries(fields)) {
    const { member = name } = description;
    const value = member === null ? undefined : read(name, description);
    if (member === null || value === undefined) continue;
    const [outer = "", inner] = member.split(".");
    if (inner === undefined) members[outer] = value;
    else members[outer] = { ...(members[outer] as Members | undefined), [inner]: value };
  }
  return members;
}

function valueAt(members: Members, member: string): unknown {
  return member.split(".").reduce<unknown>((value, name) => (value as Members | null | undefined)?.[name], members);
}

function memberValue({ kind, empty }: FieldDescription, typed: AnyTyped): unknown {
  if (typeof typed === "boolean") return typed;
  if (empty !== undefined && (typeof typed === "string" ? typed.trim() : typed).length === 0) return empty === null ? null : undefined;
  if (typeof typed !== "string") return typed;
  if (kind === "number") return readNumber(typed);
  if (kind === "lines") return splitLines(typed);
  if (kind === "colour") return readColour(typed.trim());
  return kind === "choice" && empty === undefined ? typed : typed.trim();
}

/** Whether every choice is one that the form offers. */
export function isOffered<Form extends DescribedForm>({ fields }: Form, typed: Typed<Form>): boolean {
  return Object.entries(fields).every(
    ([name, { kind, choices = [] }]) => kind !== "choice" || choices.some(([value]) => value === (typed as Members)[name]),
  );
}

/** The lines in their order, without duplicates and empty ones. */
export function splitLines(lines: string): string[] {
  const items = lines.split("\n").map((line) => line.trim());
  return [...new Set(items.filter((item) => item !== ""))];
}

/** The name of each field in words, for the summary of faults. */
export function labelsOf({ fields }: DescribedForm): Readonly<Record<string, Bilingual>> {
  return Object.fromEntries(Object.entries(fields).map(([name, { label }]) => [name, label]));
}

type ShownForm<Form extends DescribedForm> = Readonly<{ form: Form; typed: Typed<Form>; faults: FieldFaults }>;

type TextName<Form extends DescribedForm> = {
  [Name in keyof Form["fields"]]: TypedOf<Form["fields"][Name]> extends string ? Name : never;
}[keyof Form["fields"]] &
  string;

/** What a field of text shows beside the description: choices that are not the same for everybody, the item that a fault is about. */
type More = Partial<Field> & Readonly<{ choices?: Choices }>;

/** A field with its label, hint and faults. */
export function describedField<Form extends DescribedForm>(
  shown: ShownForm<Form>,
  name: keyof Form["fields"] & string,
  more: More = {},
): Html {
  const { kind, label, hint, choices = [] } = descriptionOf(shown.form, name);
  const { faults, typed } = shown;
  if (kind === "several") return boxes(shown, name);
  if (kind === "check") return checkField({ name, label, ...(hint && { hint: bilingual(hint) }), checked: typed[name] === true });
  const field = { ...fieldOf(shown, name as TextName<Form>), ...more };
  switch (kind) {
    case "number":
      return numberField(field, faults);
    case "day":
      return dateField(field, faults);
    case "longText":
    case "lines":
      return textAreaField(field, faults);
    case "choice":
      return choiceField({ ...field, choices: more.choices ?? choices }, faults);
    default:
      return textField(field, faults);
  }
}

/** A box for each value, with the value itself beside its name. */
function boxes<Form extends DescribedForm>({ form, typed, faults }: ShownForm<Form>, name: keyof Form["fields"] & string): Html {
  const { label, choices = [], box = name, words } = descriptionOf(form, name);
  const ticked = typed[name] as readonly string[];
  const one = ([value, words]: Choices[number]) =>
    checkField({ name: `${box} ${value}`, label: words, hint: html`<code>${value}</code>`, checked: ticked.includes(value) });
  const about = words && { words: (fault: Fault) => words(fault, { typed: ticked.join(), bounds: {} }) };
  return html`<fieldset id="field-${name}"${faults[name] && html` aria-describedby="field-${name}-fault"`}>
<legend>${bilingual(label)}</legend>
<div class="checks">${choices.map(one)}</div>
${faultMessages(name, faults, about)}
</fieldset>`;
}

/** What a field of text shows, for the functions that render it. */
export function fieldOf<Form extends DescribedForm>({ form, typed }: ShownForm<Form>, name: TextName<Form>): Field {
  const description = descriptionOf(form, name);
  const { kind, label, hint, words, colour, slides } = description;
  const about = { typed: String(typed[name]), bounds: description.bounds ?? boundsAt(form, description.member ?? name) };
  const shownHint = kind === "number" ? rangeHint(about.bounds, hint) : hint && bilingual(hint);
  return {
    name,
    label,
    ...about,
    ...(shownHint && { hint: shownHint }),
    ...(words && { words: (fault: Fault) => words(fault, about) }),
    ...(colour && { colour }),
    ...(slides && { slides }),
  };
}

function descriptionOf(form: DescribedForm, name: string): FieldDescription {
  return form.fields[name] as FieldDescription; // the name is one of the form's
}

function boundsAt({ schema = "", schemas = {} }: DescribedForm, member: string): Bounds {
  const [outer = "", inner] = member.split(".");
  return inner === undefined ? boundsOf(schema, outer) : boundsOf(schemas[outer] ?? "", inner);
}

function rangeHint(bounds: Bounds, hint: Bilingual | undefined): Html {
  return html`${formatRange(bounds)}${hint && bilingual({ th: html` ${hint.th}`, en: html`. ${hint.en}` })}`;
}

/**
 * Any colour of CSS (CSS Color 4) as `#rrggbb`, or `#rrggbbaa` where it has an opacity; any other text as it is, for the contract to
 * check. The contract keeps its one form, which programs can read without a parser of CSS and which fits into any style sheet.
 */
export function readColour(typed: string): string {
  if (/^[\da-f]+$/i.test(typed)) return typed; // culori would read digits without #, which CSS does not
  const colour = culori.parse(typed.toLowerCase());
  if (!colour) return typed;
  return colour.alpha === undefined ? culori.formatHex(colour) : culori.formatHex8(colour);
}
