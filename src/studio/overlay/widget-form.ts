// The form of a widget: its parameters in words, how it is read, and what is stored with its key.

import type { KeyWidget, OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import type { Fault } from "../../http/problem.ts";
import type { Bilingual } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import { colourVariables, donatorKinds, maxTitle, rowCounts, totalSpans, widgetPeriods, widgetThemes } from "../../ui/widget-options.ts";
import type { FieldFaults } from "../components/fields.ts";
import { themeNames } from "../designer/variation-form.ts";

const colours = Object.keys(colourVariables) as (keyof typeof colourVariables)[];

/** The parameters that each widget takes beside those of all widgets. */
const ownParameters = {
  goal: [],
  total: ["span", "title"],
  recent: ["count", "title"],
  top: ["period", "count", "title"],
  donator: ["show", "period", "title"],
} as const satisfies Record<KeyWidget["kind"], readonly string[]>;

export type WidgetKind = KeyWidget["kind"];
export const widgetKinds = Object.keys(ownParameters) as readonly WidgetKind[];

/** The widget of a key; null also for one of a kind that a newer version has made, while that is rolled out. */
export function knownWidget({ widget }: Pick<OverlayKeyEntry, "widget">): KeyWidget | null {
  return widget && widgetKinds.includes(widget.kind) ? widget : null;
}

/** The names of a widget's parameters, in the order of its form. */
export function parametersOf(kind: WidgetKind): readonly WidgetParameter[] {
  return [...ownParameters[kind], "lang", "theme", ...colours.filter((name) => name !== "accent" || kind === "goal")]; // which alone has a bar
}

export type WidgetParameter = (typeof ownParameters)[WidgetKind][number] | "lang" | "theme" | (typeof colours)[number];

/** The values of parameters with few; the first is the usual one. */
export const parameterValues = {
  ...{ span: totalSpans, period: widgetPeriods, show: donatorKinds, lang: ["th", "en"], theme: widgetThemes },
  count: Array.from({ length: rowCounts.to }, (_, index) => String(index + rowCounts.from)),
} as const satisfies Partial<Record<WidgetParameter, readonly string[]>>;

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
  const named = Object.entries(values).map(([name, text]) => [name, text === "" ? null : faultOf(name as WidgetParameter, text)] as const);
  return Object.fromEntries(named.flatMap(([name, fault]) => (fault ? [[name, [fault]]] : [])));
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
  if (name === "count") return String(rowCounts.usual);
  return name in parameterValues ? parameterValues[name as keyof typeof parameterValues][0] : null;
}

/** What the form shows where nothing was typed: the usual value, and the reader's own language. */
export function proposedValue(name: WidgetParameter): string {
  return name === "lang" ? currentReader().language : (usualValue(name) ?? "");
}

/** The size of the source in OBS that the widget fits, in pixels. */
export function widgetSize({ kind, values }: WidgetForm): Readonly<{ width: number; height: number }> {
  if (kind === "goal") return { width: 450, height: 140 };
  if (kind === "total" || kind === "donator") return { width: 400, height: 130 };
  const typed = values.count ?? "";
  const count = Number((parameterValues.count as readonly string[]).includes(typed) ? typed : rowCounts.usual);
  return { width: 400, height: kind === "recent" ? Math.max(40 + 84 * count, 60 + 77 * count) : Math.min(92 + 40 * count, 460) };
}

function faultOf(name: WidgetParameter, text: string): Fault | null {
  if (name === "title")
    return [...text].length > maxTitle ? { code: "too_long", message: `must have at most ${maxTitle} characters` } : null;
  if (name in parameterValues) {
    const values: readonly string[] = parameterValues[name as keyof typeof parameterValues];
    return values.includes(text) ? null : { code: "invalid_enum", message: `must be one of ${values.join(", ")}` };
  }
  // The browser alone knows every form of a CSS colour: the widget's page names a word that is none.
  return /^#?[\w\s(),.%/+-]{1,60}$/.test(text) ? null : { code: "invalid_format", message: "must be a CSS colour, such as #27c7a5" };
}

type Words = Readonly<{ th: string; en: string }>;

export const kindLabels: Record<WidgetKind, Words> = {
  goal: { th: "แถบเป้าหมาย", en: "Goal bar" },
  total: { th: "ยอดรวม", en: "Total" },
  recent: { th: "โดเนทล่าสุด", en: "Latest donations" },
  top: { th: "ผู้โดเนทสูงสุด", en: "Top donators" },
  donator: { th: "ผู้โดเนทคนเดียว", en: "One donator" },
};

export const parameterLabels: Record<WidgetParameter, Words> = {
  span: { th: "ช่วงเวลา", en: "Period" },
  period: { th: "ช่วงเวลา", en: "Period" },
  count: { th: "จำนวนแถว", en: "Rows" },
  show: { th: "แสดง", en: "Show" },
  title: { th: "หัวข้อ", en: "Title" },
  lang: { th: "ภาษา", en: "Language" },
  theme: { th: "ธีม", en: "Theme" },
  card: { th: "สีพื้นการ์ด", en: "Card" },
  ink: { th: "สีชื่อ", en: "Names" },
  soft: { th: "สีข้อความรอง", en: "Labels and messages" },
  accent: { th: "สีแถบ", en: "Bar" },
  warm: { th: "สียอดเงิน", en: "Amounts" },
};

const periods = {
  all: { th: "ทั้งหมด", en: "All time" },
  day: { th: "วันนี้", en: "Today" },
  week: { th: "สัปดาห์นี้", en: "This week" },
  month: { th: "เดือนนี้", en: "This month" },
} as const;

type ListedValues = { [Name in Exclude<keyof typeof parameterValues, "count">]: Record<(typeof parameterValues)[Name][number], Words> };

export const valueLabels: ListedValues = {
  span: { all: periods.all, today: periods.day, month: periods.month },
  period: periods,
  show: { latest: { th: "โดเนทล่าสุด", en: "Latest donation" }, largest: { th: "โดเนทสูงสุด", en: "Largest donation" } },
  lang: { th: { th: "ไทย", en: "Thai" }, en: { th: "อังกฤษ", en: "English" } },
  theme: {
    namjai: themeNames.namjai,
    mint: { th: "มินต์", en: "Mint" },
    sky: { th: "ฟ้า", en: "Sky" },
    gold: themeNames.gold,
    night: { th: "กลางคืน", en: "Night" },
    paper: themeNames.paper,
  },
};

/** Beside the fields of a widget that need an explanation; null beside others. */
export function parameterHint(kind: WidgetKind, name: WidgetParameter): Bilingual | null {
  if (name === "title") return { th: "เว้นว่างไว้เพื่อใช้หัวข้อปกติ", en: "Leave empty for the usual title." };
  if (name === "period" && kind === "donator") return { th: "ใช้กับโดเนทสูงสุด", en: "For the largest donation." };
  return null;
}
