// The designer, the page of a widget and the history with the keyboard alone.

import { beforeAll, expect, test } from "vitest";
import { desktop, leave, openTab, phone, type Tab } from "../../conformance/meta/browser/chromium.ts";
import { expectEveryControlInOrder, expectedMessages, reach, retype, unfold } from "../../conformance/meta/browser/page-checks.ts";
import { newLogin } from "../../conformance/meta/browser/streamers.ts";
import { create } from "../../conformance/suite/client/api.ts";
import { addKey } from "../../conformance/suite/client/operator.ts";
import { target } from "../../conformance/suite/values/target.ts";

let first: Tab;

beforeAll(async () => {
  first = await openTab(desktop);
  const { handle } = await newLogin(first, "/studio/designer");
  const key = await addKey(target().operator!, handle, "write:donations");
  for (const [index, donatorName] of ["Malee", "Anong", "Prasert"].entries())
    expect((await create({ donatorName, amount: 50 * (index + 1), message: "สู้ๆ" }, { key })).status).toBe(201);
}, 120_000);

const signedIn = async (path: string, options = desktop): Promise<Tab> => {
  const tab = await openTab({ ...options, storageState: await first.context.storageState() });
  await tab.page.goto(target().url + path);
  return tab;
};

const enter = (tab: Tab) => leave(tab, () => tab.page.keyboard.press("Enter"));

const notice = ({ page }: Tab, text: string) => page.locator("[role=status]").getByText(text).waitFor();

const complaints = (tab: Tab) => tab.complaints.filter((line) => !expectedMessages.test(line));

test("a variation is designed, saved, moved and deleted with the keyboard alone", async () => {
  const tab = await signedIn("/studio/designer");
  const { page } = tab;
  const add = async (name: string, from: string) => {
    await reach(tab, "a[href$='theme=neon']");
    await enter(tab);
    await reach(tab, "input[name=name]:not([type=hidden])");
    await retype(tab, name);
    await reach(tab, "input[name=from]");
    await retype(tab, from);
    await reach(tab, "select[name=position]");
    await page.keyboard.press("ArrowDown");
    await reach(tab, "textarea[name=template]");
    await page.keyboard.type("{name}: {amount}");
    await reach(tab, "input[name=confetti], input[name=speak]");
    await page.keyboard.press("Space");
    await reach(tab, "button.main");
    await enter(tab);
    await notice(tab, "Variation saved");
  };
  await add("Small", "1");
  await add("Big", "500");
  const order = () => page.locator("ol.entries .entry > p bdi").allTextContents();
  await expect.poll(order).toEqual(["Big", "Small"]);
  await reach(tab, "button[name=to][value=down]");
  await enter(tab);
  await notice(tab, "Order changed");
  await expect.poll(order).toEqual(["Small", "Big"]);
  await reach(tab, "a[href*='place=1']");
  await enter(tab);
  expect(await page.locator("input[name=name]:not([type=hidden])").inputValue()).toBe("Big");
  await reach(tab, "select[name=sample]");
  await page.keyboard.press("ArrowDown");
  await page.frameLocator("iframe[data-preview]").locator("[data-part=head]").getByText("ผู้ชมที่มีชื่อยาวที่สุด").waitFor();
  await page.goBack();
  await expect.poll(order).toEqual(["Small", "Big"]);
  for (const left of [["Big"], []]) {
    await reach(tab, "ol.entries summary");
    await page.keyboard.press("Enter");
    await reach(tab, "button[name=to][value=away]");
    await enter(tab);
    await notice(tab, "Variation deleted");
    await expect.poll(order).toEqual(left);
  }
  expect(complaints(tab)).toEqual([]);
  await tab.context.close();
});

test("a widget is chosen, set up, previewed and linked with the keyboard alone", async () => {
  const tab = await signedIn("/studio/overlay/widget");
  const { page } = tab;
  await reach(tab, "nav[aria-label=Widgets] a[href*='kind=recent']");
  await enter(tab);
  await reach(tab, "select[name=count]");
  await page.keyboard.press("ArrowDown");
  const count = await page.locator("select[name=count]").inputValue();
  await reach(tab, "input[name=title]");
  await retype(tab, "Thanks");
  await reach(tab, "button[name=preview]");
  await page.keyboard.press("Enter");
  await page.frameLocator("iframe[data-preview]").getByText("Thanks").waitFor();
  await reach(tab, "input[name=name]:not([type=hidden])");
  await retype(tab, "Second screen");
  await reach(tab, "button.main");
  await enter(tab);
  await expect.poll(() => page.locator("#source-0").inputValue()).toMatch(/\/overlay\/recent#namjai_o1_\w+$/);
  await reach(tab, "#source-0");
  await expect
    .poll(() =>
      page.evaluate(
        "getSelection().toString() || document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)",
      ),
    )
    .toContain("/overlay/recent");
  await reach(tab, "main p a[href$='/studio/overlay']");
  await enter(tab);
  await reach(tab, "a[href*='/widget/settings']");
  await enter(tab);
  expect(await page.locator("select[name=count]").inputValue()).toBe(count);
  expect(await page.locator("input[name=title]").inputValue()).toBe("Thanks");
  expect(complaints(tab)).toEqual([]);
  await tab.context.close();
});

test("the history is searched, filtered and opened with the keyboard alone", async () => {
  const tab = await signedIn("/studio/history");
  const { page } = tab;
  const names = () => page.locator(".list .name bdi").allTextContents();
  await expect.poll(names).toHaveLength(3);
  await reach(tab, "input[name=q]");
  await page.keyboard.type("Anong");
  await enter(tab);
  await expect.poll(names).toEqual(["Anong"]);
  await reach(tab, "input[name=q]");
  await retype(tab, " ");
  await reach(tab, "main summary");
  await page.keyboard.press("Enter");
  await reach(tab, "input[name=minAmount]");
  await page.keyboard.type("100");
  await reach(tab, "select[name=source]");
  await page.keyboard.press("ArrowDown");
  await reach(tab, "form.filters button");
  await enter(tab);
  await expect.poll(async () => (await names()).toSorted()).toEqual(["Anong", "Prasert"]);
  await page.locator("input[name=q]").press("ArrowDown");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  expect(await page.evaluate("document.activeElement.textContent"), "arrow keys, j and k go from row to row").toBe((await names())[0]);
  await enter(tab);
  await page.locator("#which").waitFor();
  await reach(tab, "main a[href$='/studio/history']");
  await enter(tab);
  await expect.poll(names).toHaveLength(3);
  expect(complaints(tab)).toEqual([]);
  await tab.context.close();
});

const pages = [
  "/studio/designer",
  "/studio/designer/variation?theme=neon",
  "/studio/overlay/widget?kind=recent",
  "/studio/overlay/widget?kind=goal",
  "/studio/history?minAmount=1",
  "/studio/settings",
];

test.each(pages)(
  "Tab reaches every control of %s in the order of the page, with everything unfolded, on a desktop and a phone",
  async (path) => {
    for (const options of [desktop, phone]) {
      const tab = await signedIn(path, options);
      await unfold(tab);
      await expectEveryControlInOrder(tab);
      await tab.context.close();
    }
  },
);

test("a form that is refused leads the focus to its first fault, where what was typed can be replaced", async () => {
  const tab = await signedIn("/studio/goals");
  const { page } = tab;
  await page.locator("input[name=title]").fill("Microphone");
  await page.locator("input[name=target]").fill("many");
  await enter(tab);
  await page.locator("input[name=target]:focus").waitFor({ timeout: 10_000 });
  expect(await page.locator("input[name=target]").inputValue()).toBe("many");
  await retype(tab, "25000");
  await enter(tab);
  await expect.poll(() => page.locator("main").textContent()).toContain("Microphone");
  expect(complaints(tab)).toEqual([]);
  await tab.context.close();
});
