// The studio's home page in Chromium: the first steps of a new streamer, and what comes in while it is open.

import { afterEach, expect, test } from "vitest";
import { followLink, leave, openTab, sendForm, untilShown } from "../../../conformance/meta/browser/chromium.ts";
import { expectedMessages, looksRight, screens } from "../../../conformance/meta/browser/page-checks.ts";
import { newLogin } from "../../../conformance/meta/browser/streamers.ts";
import { create } from "../../../conformance/suite/client/api.ts";
import { addKey, addOverlayKey } from "../../../conformance/suite/client/operator.ts";
import { change } from "../../../conformance/suite/client/overlay/alert-controls.ts";
import { closePages, follow } from "../../../conformance/suite/client/overlay/overlay-page.ts";
import { target } from "../../../conformance/suite/values/target.ts";

afterEach(() => closePages());

test.each(screens)(
  "a new streamer's home page leads through the first steps, which tick themselves and go: %s",
  async (screen, options) => {
    const tab = await openTab(options);
    const { page } = tab;
    const { handle } = await newLogin(tab, "/studio/home");
    await looksRight(tab, `studio-home-empty-${screen}`);
    const done = () => page.locator(".ticks .done a").evaluateAll((links) => links.map(({ id }) => id));
    expect(await done()).toEqual([]);
    await addKey(target().operator!, handle, "write:donations");
    await follow({ key: await addOverlayKey(target().operator!, handle) });
    await untilShown(tab, page.locator(".ticks:has(.done #step-overlay):has(.done #step-key)"));
    expect(await done()).toEqual(["step-overlay", "step-key"]);
    await followLink(tab, page.locator("#step-test"));
    await page.goto(`${target().url}/studio/home`);
    await sendForm(tab, page.locator("#steps-hide"));
    expect(await page.locator("#first").count()).toBe(0);
    await page.goto(`${target().url}/studio/history`);
    if (!tab.mobile) await followLink(tab, page.locator("header > .brand"));
    else await page.goto(`${target().url}/studio/home`);
    expect([new URL(page.url()).pathname, await page.locator("#first").count()]).toEqual(["/studio/home", 0]);
    expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
    await tab.context.close();
  },
);

test.each(screens)("donations and held alerts show up on the open home page, and are decided about there: %s", async (screen, options) => {
  const tab = await openTab(options);
  const { page } = tab;
  const { handle } = await newLogin(tab, "/studio/home");
  const operator = target().operator!;
  const [key, settings] = [await addKey(operator, handle, "write:donations"), await addKey(operator, handle, "write:alerts")];
  expect((await change({ approval: "all" }, { key: settings })).status).toBe(200);
  for (const [donatorName, amount] of [
    ["Malee <b>", 1_250.5],
    ["ดาว", 20],
  ] as const)
    expect((await create({ donatorName, amount, message: "สู้ๆ" }, { key })).status).toBe(201);
  await untilShown(tab, page.locator("#live-latest", { hasText: /(?:To approve.*){2}/s }));
  await untilShown(tab, page.locator("#live-held", { hasText: tab.scripted ? /Not shown in [12]:\d\d/ : /Not shown at \d/ }));
  await expect.poll(() => page.locator("#live-periods .sum").allTextContents()).toEqual(["฿1,270.50", "฿1,270.50", "฿1,270.50"]);
  const approve = page.locator("#live-held button[value^='approve ']").first();
  await page.evaluate("scrollTo(0, 0)");
  const { y = Number.NaN, height = 0 } = (await approve.boundingBox()) ?? {};
  expect(y + height, "an alert is approved without scrolling").toBeLessThan(page.viewportSize()?.height ?? 0);
  if (tab.scripted) {
    await approve.focus();
    await create({ donatorName: "Nok", amount: 5 }, { key });
    await page.locator("#live-latest tbody tr", { hasText: "Nok" }).waitFor();
    expect(await page.evaluate("document.activeElement.value"), "the focus stays").toMatch(/^approve /);
  }
  await looksRight(tab, `studio-home-${screen}`);
  await sendForm(tab, approve);
  await page.getByText("Approved. The alert plays in its turn.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/studio/home");
  await untilShown(tab, page.locator("#live-waiting", { hasText: "Malee <b>" }));
  await leave(tab, () => page.locator("#live-latest tr", { hasText: "ดาว" }).click());
  await page.locator("#which", { hasText: "ดาว" }).waitFor();
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});
