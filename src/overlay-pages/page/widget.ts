// Starts a widget page: connects it, and updates it with each reading of the widgets' data and each change of the widget's settings. A preview
// has figures of its own.

import { alertFontNames, familiesOf } from "../../ui/alert-fonts.ts";
import { colourVariables, widgetThemes } from "../../ui/widget-options.ts";
import type { WidgetSettings, Widgets } from "../core/api.ts";
import type { ToPage } from "../core/messages.ts";
import type { Parameters } from "../core/parameters.ts";
import { aged } from "../core/timer.ts";
import { linkToCoordinator } from "./coordinator-link.ts";
import { loadFont } from "./font.ts";
import { logEvent } from "./page-log.ts";
import { type Choice, type PageStart, startPage } from "./start.ts";

/** Shows the data; `first`: without an animation. */
type Update = (widgets: Widgets, first: boolean) => void;
type Build = (choice: Choice) => Update;

type Widget = Readonly<{ page: PageStart; build: Build }> & {
  update: Update;
  /** Resolves when the typeface of the settings can be shown. */
  font: Promise<void>;
  /** The settings of the key's widget that the page shows; null: none. */
  settings: WidgetSettings | null;
  /** The last data; null before the first. */
  shown: Widgets | null;
  /** When it was received. */
  shownAt: number;
};

/** `build` prepares the page, again after each change of the widget's settings, and returns the function that updates it. */
export function openWidget(build: Build): void {
  const page = startPage();
  if (!page) return;
  const widget: Widget = { page, build, ...prepare(page, build, null), settings: null, shown: null, shownAt: 0 };
  if (page.isPreview) return void Promise.all([page.fonts, widget.font]).then(() => widget.update(sampleWidgets(), true));
  void page.fonts.then(() =>
    linkToCoordinator({ key: page.key, kind: "widget", playing: () => null, onMessage: (message) => receive(widget, message) }),
  );
}

function prepare(page: PageStart, build: Build, settings: WidgetSettings | null): Pick<Widget, "update" | "font"> {
  const choice = page.choose(settings);
  applyWidgetColours(choice.parameters);
  const font = applyWidgetFont(choice.parameters);
  const update = build(choice);
  page.showFaults();
  return { update, font };
}

function receive(widget: Widget, message: ToPage): void {
  if (message.type === "status") widget.page.showStatus(message.status);
  if (message.type === "status") document.body.classList.toggle("refused", message.status === "refused");
  if (message.type === "settings") changeSettings(widget, message.widget);
  if (message.type !== "widgets") return;
  logEvent("widgets", { asOf: message.widgets.asOf });
  const isFirst = widget.shown === null;
  widget.shown = message.widgets;
  widget.shownAt = performance.now();
  void widget.font.then(() => {
    if (widget.shown !== message.widgets) return;
    showAged(widget, isFirst);
    widget.page.showFaults(); // a goal may be gone, or be there now
  });
}

function changeSettings(widget: Widget, settings: WidgetSettings | null): void {
  if (JSON.stringify(settings) === JSON.stringify(widget.settings)) return;
  widget.settings = settings;
  Object.assign(widget, prepare(widget.page, widget.build, settings));
  void widget.font.then(() => showAged(widget, true));
}

/** Shows the last data, as they are by now. */
function showAged({ update, shown, shownAt }: Widget, first: boolean): void {
  if (shown) update(aged(shown, performance.now() - shownAt), first);
}

/** Sets theme and colours of the document. Its Content-Security-Policy allows properties that a script sets, but no style attributes. */
function applyWidgetColours(parameters: Parameters): void {
  const { dataset, style } = document.documentElement;
  dataset["theme"] = parameters.choice("theme", widgetThemes);
  for (const [name, variable] of Object.entries(colourVariables)) {
    const colour = parameters.checked(name, (text) => CSS.supports("color", text), "#27c7a5, teal");
    style.setProperty(variable, colour); // null removes what was chosen before
    if (name === "card") style.setProperty("--edge", colour); // the theme's line of light is made for the theme's card
  }
}

/** Sets the typeface of the document. Resolves when it can be shown. */
function applyWidgetFont(parameters: Parameters): Promise<void> {
  const font = parameters.choice("font", alertFontNames);
  document.documentElement.style.setProperty("--font", font === "prompt" ? null : familiesOf(font));
  return loadFont(font);
}

/** The figures that a preview shows. */
const donators = [
  ["สมชาย ใจดี", 5_000, "ขอบคุณสำหรับสตรีมครับ สู้ๆ นะ"],
  ["Anong", 1_234.5, "Great stream, see you tomorrow!"],
  ["น้องปุ๊กกี้ แฟนคลับหมายเลขหนึ่งของช่องนี้", 999, "เพลงนี้เพราะมากเลยค่ะ ขออีกรอบได้ไหมคะ อยากฟังอีกหลายๆ รอบ"],
  ["محمد", 500, "شكرا جزيلا"],
  ["Prasert", 300, ""],
  ["ป้าสมศรี", 250, "ทานข้าวหรือยังลูก"],
  ["Kittisak", 199, "GG"],
  ["ใบเฟิร์น", 100, "มาดูทุกวันเลย"],
  ["Malee", 50, "สู้ๆ"],
  ["เด็กชายตั้ม", 20, "ผมมีแค่นี้ครับ"],
] as const;

const recent: Widgets["recent"] = donators.map(([donatorName, amount, message], index) => ({
  ...{ donationId: `sample-${index}`, donatorName, amount, currency: "THB", message, createdAt: "2026-11-20T12:30:00.000Z" },
}));
const top: Widgets["top"] = donators.map(([donatorName, amount], index) => ({ rank: index + 1, donatorName, amount, count: 1 }));
const largest = recent[0] ?? null;

const goal = { title: "ไมค์ตัวใหม่", target: 20_000, current: 12_345.5, to: "2026-12-31", ended: false };

const sampleWidgets = (): Widgets => ({
  asOf: "2026-11-20T12:30:00.000Z",
  goal,
  goals: [{ id: new URLSearchParams(location.search).get("goal") || "main", ...goal }],
  totals: { today: { amount: 1_854.5, count: 6 }, month: { amount: 98_765, count: 321 }, all: { amount: 1_234_567.25, count: 4_321 } },
  recent,
  top,
  topOf: { day: top, week: top, month: top },
  largest: { day: largest, week: largest, month: largest, all: largest },
  timer: { status: "running", remainingMs: 12_345_000, endsAt: "2026-11-20T15:55:45.000Z" },
});
