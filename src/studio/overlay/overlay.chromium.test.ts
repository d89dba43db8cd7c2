// The studio's pages of overlay and widgets in Chromium: their addresses, and widgets that follow the settings that are saved there.

import { beforeAll, describe, expect, test } from "vitest";
import { followLink, openChromium, openTab, sendForm, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import { expectedMessages, looksRight, screens } from "../../../conformance/meta/browser/page-checks.ts";
import { makeOverlayKey, newLogin } from "../../../conformance/meta/browser/streamers.ts";
import { expectProblem } from "../../../conformance/suite/client/api.ts";
import { send } from "../../../conformance/suite/client/http-client.ts";
import { target } from "../../../conformance/suite/values/target.ts";

test("an overlay address can be copied, and is blurred until the pointer is over it", async () => {
  const tab = await openTab();
  await tab.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await newLogin(tab);
  const key = await makeOverlayKey(tab);
  const { page } = tab;
  const color = () => page.evaluate("getComputedStyle(document.querySelector('#source-1')).color");
  await expect.poll(() => color()).toBe("rgba(0, 0, 0, 0)");
  await page.locator("#source-1").focus();
  await expect.poll(() => color()).not.toBe("rgba(0, 0, 0, 0)");
  await page.locator("[data-copy=source-1]").click();
  await page.getByText("Copied").waitFor();
  await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(`${target().url}/overlay/goal?lang=en#${key}`);
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test("reloading the page that showed a new key creates no other key and shows none", async () => {
  const tab = await openTab();
  await newLogin(tab);
  const key = await makeOverlayKey(tab);
  await tab.page.reload();
  await expect.poll(() => tab.page.content()).not.toContain(key);
  expectProblem(await send({ path: "/api/v1/overlay/speech/none", key }), 404, "speech_not_found");
  await tab.context.close();
});

let first: Tab;

beforeAll(async () => {
  first = await openTab();
  await newLogin(first, "/studio/overlay");
});

test.each(["goal", "total", "recent", "top", "donator"])(
  "the link of a widget of the kind %s is made by its button, and opens that widget",
  async (kind) => {
    const { page, context, complaints } = await openTab({ storageState: await first.context.storageState() });
    await page.goto(`${target().url}/studio/overlay/widget?kind=${kind}`);
    await sendForm({ page }, page.locator("section[aria-labelledby=link] button"));
    const address = await page.locator("#source-0").inputValue();
    expect(address).toContain(`/overlay/${kind}#namjai_o1_`);
    await page.goto(address);
    await page.locator(`html[data-page=${kind}]`).waitFor({ state: "attached" });
    expect(complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
    await context.close();
  },
);

describe.each(screens)("%s", (screen, options) => {
  test("a widget that is open in OBS follows its settings as soon as they are saved in the studio, by the link that it has", async () => {
    const tab = await openTab(options);
    const { page } = tab;
    await newLogin(tab, "/studio/overlay");
    await page.goto(`${target().url}/studio/overlay/widget?kind=total&span=today&title=Before`);
    await sendForm(tab, page.locator("section[aria-labelledby=link] button"));
    const address = await page.locator("#source-0").inputValue();
    expect(address).toMatch(/\/overlay\/total#namjai_o1_\w+$/);
    const obs = await (await openChromium()).newContext({ viewport: { width: 400, height: 130 } });
    const widget = await obs.newPage();
    await widget.goto(address);
    const shown = (part: string) => widget.locator(`[data-part=${part}]`).textContent();
    const look = async () => [await shown("title"), await shown("amount"), await widget.locator("html").getAttribute("data-theme")];
    await expect.poll(look).toEqual(["Before", "฿0", "namjai"]);

    await page.goto(`${target().url}/studio/overlay`);
    await looksRight(tab, `studio-overlay-widget-${screen}`);
    await followLink(tab, page.getByRole("link", { name: /^Settings: / }));
    expect(await page.locator("input[name=title]").inputValue()).toBe("Before");
    await page.locator("select[name=theme]").selectOption("mint");
    if (tab.scripted) await expect.poll(() => page.url(), { message: "the preview follows" }).toMatch(/theme=mint/);
    await page.locator("input[name=title]").fill("");
    await page.locator("input[name=card]").fill("<wrong>");
    const save = page.locator("form[action$='/widget/settings'] .save button");
    await sendForm(tab, save);
    await page.locator("#field-card-fault").waitFor();
    await looksRight(tab, `studio-widget-settings-wrong-${screen}`);
    await page.locator("input[name=card]").fill("#112233");
    await sendForm(tab, save);
    await page.locator("main > [role=status]").waitFor();
    await looksRight(tab, `studio-widget-settings-${screen}`);
    await expect.poll(look, { timeout: 10_000 }).toEqual(["Today", "฿0", "mint"]);
    expect(await widget.evaluate("document.documentElement.style.getPropertyValue('--card')")).toBe("#112233");
    await obs.close();
    expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
    await tab.context.close();
  });
});
