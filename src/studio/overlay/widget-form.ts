// The form of a widget: its parameters in words, how it is read, and what is stored with its key.

import type { KeyWidget, OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import { isGoalId } from "../../http/contract/published.ts";
import type { Fault } from "../../http/problem.ts";
import type { Words } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import { colourVariables, donatorKinds, maxTitle, rowCounts, totalSpans, widgetPeriods, widgetThemes } from "../../ui/widget-options.ts";
import type { DescribedForm, FieldDescription } from "../components/described-form.ts";
import { choicesOf, type FieldFaults, withFaults } from "../components/fields.ts";
import { fontChoices } from "../designer/library-choices.ts";
import { themeNames } from "../designer/variation-form.ts";

const colours = Object.keys(colourVariables) as (keyof typeof colourVariables)[];

/** The parameters that each widget takes beside those of all widgets. */
const ownParameters = {
  goal: ["goal"],
  total: ["span", "title"],
  recent: ["count", "title"],
  top: ["period", "count", "title"],
  donator: ["show", "period", "title"],
  timer: ["title"],
} as const satisfies Record<KeyWidget["kind"], readonly string[]>;

export type WidgetKind = KeyWidget["kind"];
export const widgetKinds = Object.keys(ownParameters) as readonly WidgetKind[];

/** The widget of a key; null also for one of a kind that a newer version has made, while that is rolled out. */
export function knownWidget({ widget }: OverlayKeyEntry): KeyWidget | null {
  return widget && widgetKinds.includes(widget.kind) ? widget : null;
}

/** The names of a widget's parameters, in the order of its form. */
export function parametersOf(kind: WidgetKind): readonly WidgetParameter[] {
  return [...ownParameters[kind], "lang", "theme", "font", ...colours.filter((name) => name !== "accent" || kind === "goal")]; // which alone has a bar
}

export type WidgetParameter = (typeof ownParameters)[WidgetKind][number] | "lang" | "theme" | "font" | (typeof colours)[number];

const themes: Readonly<Record<(typeof widgetThemes)[number], Words>> = {
  namjai: themeNames.namjai,
  mint: { th: "มินต์", en: "Mint" },
  sky: { th: "ฟ้า", en: "Sky" },
  gold: themeNames.gold,
  night: { th: "กลางคืน", en: "Night" },
  paper: themeNames.paper,
};

const [all, today] = [
  { th: "ทั้งหมด", en: "All time" },
  { th: "วันนี้", en: "Today" },
];
const [week, month] = [
  { th: "สัปดาห์นี้", en: "This week" },
  { th: "เดือนนี้", en: "This month" },
];
const spans: Readonly<Record<(typeof totalSpans)[number], Words>> = { all, today, month };
const periods: Readonly<Record<(typeof widgetPeriods)[number], Words>> = { all, day: today, week, month };
const donators: Readonly<Record<(typeof donatorKinds)[number], Words>> = {
  latest: { th: "โดเนทล่าสุด", en: "Latest donation" },
  largest: { th: "โดเนทสูงสุด", en: "Largest donation" },
};
const counts = Array.from({ length: rowCounts.to }, (_, index) => String(index + rowCounts.from));

/** Every parameter of a widget's page. The first choice is the usual one, but for the number of rows. */
export const widgetForm = {
  fields: {
    span: { kind: "choice", label: { th: "ช่วงเวลา", en: "Period" }, choices: choicesOf(totalSpans, spans) },
    period: { kind: "choice", label: { th: "ช่วงเวลา", en: "Period" }, choices: choicesOf(widgetPeriods, periods) },
    count: {
      kind: "choice",
      label: { th: "จำนวนแถว", en: "Rows" },
      choices: counts.map((count) => [count, { th: count, en: count }] as const),
    },
    show: { kind: "choice", label: { th: "แสดง", en: "Show" }, choices: choicesOf(donatorKinds, donators) },
    title: {
      kind: "text",
      label: { th: "หัวข้อ", en: "Title" },
      hint: { th: "เว้นว่างไว้เพื่อใช้หัวข้อปกติ", en: "Leave empty for the usual title." },
    },
    goal: { kind: "choice", label: { th: "เป้าหมาย", en: "Goal" } },
    lang: {
      kind: "choice",
      label: { th: "ภาษา", en: "Language" },
      choices: [
        ["th", { th: "ไทย", en: "Thai" }],
        ["en", { th: "อังกฤษ", en: "English" }],
      ],
    },
    theme: { kind: "choice", label: { th: "ธีม", en: "Theme" }, choices: choicesOf(widgetThemes, themes) },
    font: { kind: "choice", label: { th: "แบบอักษร", en: "Typeface" }, choices: fontChoices },
    card: { kind: "colour", label: { th: "สีพื้นการ์ด", en: "Card" }, colour: colourVariables.card },
    ink: { kind: "colour", label: { th: "สีชื่อ", en: "Names" }, colour: colourVariables.ink },
    soft: { kind: "colour", label: { th: "สีข้อความรอง", en: "Labels and messages" }, colour: colourVariables.soft },
    accent: { kind: "colour", label: { th: "สีแถบ", en: "Bar" }, colour: colourVariables.accent },
    warm: { kind: "colour", label: { th: "สียอดเงิน", en: "Amounts" }, colour: colourVariables.warm },
  } satisfies Record<WidgetParameter, FieldDescription>,
} as const satisfies DescribedForm;

/** The widget and its parameters as they were typed; empty texts for what was left out. */
export type WidgetForm = Readonly<{ kind: WidgetKind; values: Readonly<Partial<Record<WidgetParameter, string>>> }>;

/** `kind`: that of the form, unless its page is about a certain widget. */
export function readWidgetForm(fields: URLSearchParams, kind = kindIn(fields)): WidgetForm {
  return { kind, values: Object.fromEntries(parametersOf(kind).map((name) => [name, (fields.get(name) ?? "").trim()])) };
}

/** The form that shows a stored widget. */
export function toWidgetForm({ kind, parameters }: KeyWidget): WidgetForm {
  return { kind, values: Object.fromEntries(parametersOf(kind).map((name) => [name, parameters[name] ?? usualValue(name) ?? ""])) };
}

function kindIn(fields: URLSearchParams): WidgetKind {
  return widgetKinds.find((known) => known === fields.get("kind")) ?? "goal";
}

export function findWidgetFaults({ values }: WidgetForm): FieldFaults {
  const named = Object.entries(values).map(([name, text]) => [name, text === "" ? null : faultOf(name as WidgetParameter, text)]);
  return withFaults(Object.fromEntries(named));
}

/** What is stored with the key: without what is usual or at fault. */
export function toKeyWidget({ kind, values }: WidgetForm): KeyWidget {
  const faults = findWidgetFaults({ kind, values });
  const given = Object.entries({ ...values, lang: values.lang || proposedValue("lang") }).filter(
    ([name, text]) => text !== "" && !faults[name] && text !== usualValue(name as WidgetParameter),
  );
  return { kind, parameters: Object.fromEntries(given) };
}

/** The path and query of the widget's page for a key without a widget, such as `/overlay/top?count=3`. */
export function widgetPath(form: WidgetForm): string {
  const query = new URLSearchParams(toKeyWidget(form).parameters);
  return `/overlay/${form.kind}${query.size > 0 ? `?${query}` : ""}`;
}

/** The value that a missing parameter stands for; null where there is none. */
function usualValue(name: WidgetParameter): string | null {
  return name === "count" ? String(rowCounts.usual) : (valuesOf(name)?.[0] ?? null);
}

/** What the form shows where nothing was typed: the usual value, and the reader's own language. */
export function proposedValue(name: WidgetParameter): string {
  return name === "lang" ? currentReader().language : (usualValue(name) ?? "");
}

/** The size of the source in OBS that the widget fits, in pixels. */
export function widgetSize({ kind, values }: WidgetForm): Readonly<{ width: number; height: number }> {
  if (kind === "goal") return { width: 450, height: 140 };
  if (kind === "total" || kind === "donator" || kind === "timer") return { width: 400, height: 130 };
  const typed = values.count ?? "";
  const count = Number(counts.includes(typed) ? typed : rowCounts.usual);
  return { width: 400, height: kind === "recent" ? Math.max(40 + 84 * count, 60 + 77 * count) : Math.min(92 + 40 * count, 460) };
}

function faultOf(name: WidgetParameter, text: string): Fault | null {
  if (name === "title")
    return [...text].length > maxTitle ? { code: "too_long", message: `must have at most ${maxTitle} characters` } : null;
  if (name === "goal") return isGoalId(text) ? null : { code: "invalid_format", message: "must be the id of a goal" };
  const values = valuesOf(name);
  if (values) return values.includes(text) ? null : { code: "invalid_enum", message: `must be one of ${values.join(", ")}` };
  // The browser alone knows every form of a CSS colour: the widget's page names a word that is none.
  return /^#?[\w\s(),.%/+-]{1,60}$/.test(text) ? null : { code: "invalid_format", message: "must be a CSS colour, such as #27c7a5" };
}

/** The values that a parameter can have; null for a text. */
function valuesOf(name: WidgetParameter): readonly string[] | null {
  const { choices }: FieldDescription = widgetForm.fields[name];
  return choices?.map(([value]) => value) ?? null;
}

export const kindLabels: Record<WidgetKind, Words> = {
  goal: { th: "แถบเป้าหมาย", en: "Goal bar" },
  total: { th: "ยอดรวม", en: "Total" },
  recent: { th: "โดเนทล่าสุด", en: "Latest donations" },
  top: { th: "ผู้โดเนทสูงสุด", en: "Top donators" },
  donator: { th: "ผู้โดเนทคนเดียว", en: "One donator" },
  timer: { th: "ตัวจับเวลา", en: "Timer" },
};
