// The screens on which pages are tried, and what every page must be on them: usable, also with the keyboard alone, accessible, and without a fault that
// axe finds.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions } from "playwright-core";
import { expect } from "vitest";
import { desktop, inDark, phone, type Tab, takeScreenshot } from "./chromium.ts";

export const screens: [string, BrowserContextOptions][] = [
  ["phone", phone],
  ["desktop", desktop],
  ["no-script", { ...phone, javaScriptEnabled: false }],
];

/** Messages of the browser that are no faults: requests cut off by leaving a page, and the 400 of a refused form. */
export const expectedMessages = /^failed: \S+ net::ERR_ABORTED$|status of 400 \(Bad Request\)$/;

/** Saves a picture; with scripts, expects a usable layout and no violation of axe with everything unfolded: on a phone in dark colours. */
export async function looksRight(tab: Tab, name: string): Promise<void> {
  if (tab.scripted) await unfold(tab);
  await takeScreenshot(tab, name);
  if (!tab.scripted) return;
  await expectUsableLayout(tab);
  await expectAccessible(tab);
  await expectNoViolation(tab, name);
  await foldMenus(tab);
}

/** Axe takes longer than all else here, so it looks once at each screen: at a phone's in dark colours. */
export async function expectNoViolation(tab: Tab, name: string): Promise<void> {
  const look = async () => expect(await violationsOf(tab), name).toEqual([]);
  await (tab.mobile ? inDark(tab, look) : look());
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Frames have no axe, which would wait half a second for each to answer. */
const options = {
  resultTypes: ["violations"],
  iframes: false,
  // Off by default, because it is experimental: speech control finds a button by the words on it (WCAG 2.5.3).
  rules: { "label-content-name-mismatch": { enabled: true } },
};

type Violation = { id: string; nodes: { target: string[]; failureSummary?: string }[] };

/** Unfolds every folded part: axe does not look into what is hidden. */
export async function unfold({ page }: Tab): Promise<void> {
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
}

/** Folds the menus of the studio again: on a phone they lie over the page. */
async function foldMenus({ page }: Tab): Promise<void> {
  await page.evaluate("for (const menu of document.querySelectorAll('header details')) menu.open = false");
}

/** What axe finds wrong with the page as it is. */
export async function violationsOf({ page }: Tab): Promise<string[]> {
  if (await page.evaluate("!window.axe")) await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary ?? ""}`),
  );
}

/** Expects that the page is not wider than the screen, every control is large enough for a finger, and every field has a label. */
export async function expectUsableLayout({ page }: Tab): Promise<void> {
  expect(await page.evaluate(`(${layoutFaults})(${page.viewportSize()?.width ?? 0})`)).toEqual([]);
}

// Evaluated in the page. A checkbox or radio button can also be ticked by its label. On a low screen the menu at the side is for a mouse.
const layoutFaults = `(width) => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const { scrollWidth } = document.documentElement;
  const faults = scrollWidth > width ? ["the page is " + scrollWidth + " pixels wide on a screen of " + width] : [];
  for (const control of all("button, a.button, summary, nav a, input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea, .check label")) {
    const { width, height } = control.getBoundingClientRect();
    const isVisible = control.checkVisibility({ visibilityProperty: true }) && width > 0 && height > 0;
    const least = control.closest(".places") && innerWidth > 640 && innerHeight <= 848 ? 32 : 40;
    if (isVisible && height < least) faults.push("too small for a finger: " + control.outerHTML);
  }
  for (const { id } of all("input:not([type=hidden], [aria-label]), select, textarea"))
    if (all('label[for="' + id + '"]').length !== 1) faults.push("the field " + id + " has no label");
  return faults;
}`;

/** Expects what screen readers need: one h1, no skipped heading level, landmarks, unique ids, a name for every control. */
export async function expectAccessible({ page }: Tab): Promise<void> {
  expect(await page.evaluate(accessibilityFaults)).toEqual([]);
}

// Evaluated in the page.
const accessibilityFaults = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const faults = [];
  const levels = all("h1, h2, h3, h4").map((heading) => Number(heading.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1 || levels[0] !== 1) faults.push("there must be one h1, the first heading");
  levels.forEach((level, i) => { if (i > 0 && level > levels[i - 1] + 1) faults.push("h" + levels[i - 1] + " is followed by h" + level); });
  if (all("main").length !== 1) faults.push("there must be one main");
  if (!document.documentElement.lang || !document.title.trim()) faults.push("language or title is missing");
  const ids = all("[id]").map(({ id }) => id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) faults.push("the id " + id + " is used twice");
  for (const attribute of ["for", "aria-describedby", "aria-labelledby", "form"])
    for (const element of all("[" + attribute + "]"))
      for (const id of element.getAttribute(attribute).split(" ")) if (!ids.includes(id)) faults.push(attribute + " names " + id + ", which does not exist");
  for (const control of all("button, a, summary")) if (!(control.getAttribute("aria-label") ?? control.textContent).trim()) faults.push("no name: " + control.outerHTML);
  for (const link of all('a[href^="#"]')) if (!ids.includes(link.hash.slice(1))) faults.push("a link to " + link.hash + " has no target");
  return faults;
})()`;

/** More than any page has stops. */
const mostStops = 400;

/** Presses Tab until an element that the selector matches has the focus. */
export async function reach({ page }: Pick<Tab, "page">, selector: string): Promise<void> {
  for (let count = 0; count < mostStops; count += 1) {
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${selector} can't be reached`);
}

/** Replaces what is typed in the field that has the focus. */
export async function retype({ page }: Pick<Tab, "page">, text: string): Promise<void> {
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}

/**
 * Numbers everything that the page lets somebody use, in the order of the document, and returns it. What is hidden from assistive technology
 * is not for the keyboard either; of a group of radio buttons one is reached, and arrow keys lead to the others.
 */
const numberControls = `(() => {
  const native = "a[href], button, input:not([type=hidden]), select, textarea, summary, audio[controls]";
  const isOtherRadio = (one) => {
    if (one.type !== "radio") return false;
    const group = [...document.getElementsByName(one.name)];
    return one !== (group.find(({ checked }) => checked) ?? group[0]);
  };
  const usable = [...document.querySelectorAll(native + ", [tabindex='0']")].filter(
    (one) => !one.disabled && !one.closest("[aria-hidden=true]") && one.checkVisibility({ visibilityProperty: true }) && !isOtherRadio(one),
  );
  usable.forEach((one, place) => { one.numberOfStop = String(place); });
  return usable.map((one) => one.outerHTML.slice(0, 120));
})()`;

/** What has the focus: the number of a control, a property that no refresh takes for a change; null where it is none of them. */
const focused = "document.activeElement.numberOfStop ?? null";

/** Expects Tab to reach every control of the page in the order of the document, each with an outline, and Shift+Tab to lead back. */
export async function expectEveryControlInOrder(tab: Tab): Promise<void> {
  const { page } = tab;
  const controls = (await page.evaluate(numberControls)) as string[];
  await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
  const reached: string[] = [];
  const bare: string[] = [];
  for (let count = 0; count < mostStops && reached.at(-1) !== String(controls.length - 1); count += 1) {
    await page.keyboard.press("Tab");
    const stop = (await page.evaluate(focused)) as string | null;
    if (stop === null || stop === reached.at(-1)) continue; // a date has several parts; a frame may have stops of its own
    reached.push(stop);
    const outline = await page.evaluate(
      "(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) > 0)(getComputedStyle(document.activeElement))",
    );
    if (!outline) bare.push(controls[Number(stop)] ?? stop);
  }
  expect(reached.map((stop) => controls[Number(stop)])).toEqual(controls);
  expect(bare, "these show no focus").toEqual([]);
  await page.keyboard.press("Shift+Tab");
  expect(await page.evaluate(focused), "Shift+Tab leads back").toBe(String(controls.length - 2));
}
