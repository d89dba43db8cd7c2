// Uses pages with the keyboard alone.

import { expect } from "vitest";
import type { Tab } from "./chromium.ts";

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
