import { expect, test } from "vitest";

import { noWidgets } from "./fake-overlay.ts";
import { textOf, until } from "./overlay-tab.ts";
import { full, setUpWidgets, untilText } from "./widgets-setup.ts";

const setup = setUpWidgets();

test("colours and theme of a widget's address are used, and a wrong parameter is named on the page with what is allowed", async () => {
  const tab = await setup.open("total?theme=mint&accent=teal&warm=rgb(1,2,3)&card=%23112233&span=year&title=", { width: 400, height: 130 });
  await untilText(tab, "amount", "฿12,345,678.25");
  const style = (of: string, property: string) => tab.page.evaluate(`getComputedStyle(document.querySelector('${of}')).${property}`);
  await expect.poll(() => style(".money", "color")).toBe("rgb(1, 2, 3)");
  await expect
    .poll(() => tab.page.evaluate("getComputedStyle(document.querySelector('.card'), '::before').backgroundColor"))
    .toBe("rgb(17, 34, 51)");
  await expect
    .poll(() => tab.page.locator(".hint").textContent())
    .toBe("ค่าในลิงก์ไม่ถูกต้อง ใช้ได้เฉพาะ span: all, today, month · Wrong value in the link. Allowed: span: all, today, month.");
  const other = await tab.context.newPage();
  await other.goto(`${setup.fake.url}/overlay/recent?count=11&theme=pink&ink=notacolour&preview`);
  const hint = (await other.locator(".hint").textContent()) ?? "";
  for (const part of ["count: 1–10", "theme: namjai, mint", "ink: #27c7a5, teal"]) expect(hint).toContain(part);
  expect(tab.complaints).toEqual([]);
});

test.each(["goal", "total", "recent?count=10", "top", "donator"])(
  "the preview of %s shows an example without a key, and connects to no server",
  async (path) => {
    const context = await setup.browser.newContext({ viewport: { width: 400, height: 460 } });
    const page = await context.newPage();
    await page.goto(`${setup.fake.url}/overlay/${path}${path.includes("?") ? "&" : "?"}preview`);
    await page.locator("main").waitFor();
    await page.waitForTimeout(300);
    expect(setup.fake.streams).toHaveLength(0);
    await expect.poll(() => page.locator(".hint").count()).toBe(0);
    await context.close();
  },
);

test.each(["goal", "recent", "top"])("the %s widget is invisible without data", async (path) => {
  setup.fake.snapshot.widgets = noWidgets;
  const tab = await setup.open(path, { width: 400, height: 300 });
  await tab.page.waitForTimeout(500);
  await expect.poll(() => textOf(tab, "title")).toBeNull();
  setup.fake.send("widgets", full);
  await until(
    () => textOf(tab, "title"),
    (text) => text !== null,
  );
});

test("widgets keep their content while the server cannot be reached", async () => {
  const tab = await setup.open("total", { width: 400, height: 130 });
  await untilText(tab, "amount", "฿12,345,678.25");
  setup.fake.refusals = [503, 0];
  setup.fake.snapshot.widgets = { ...full, totals: { ...full.totals, all: { amount: 5, count: 1 } } };
  setup.fake.cut();
  await expect.poll(() => textOf(tab, "amount")).toBe("฿12,345,678.25");
  await untilText(tab, "amount", "฿5");
});

test("widgets are invisible when their overlay key is refused", async () => {
  const tab = await setup.open("total", { width: 400, height: 130 });
  await untilText(tab, "amount", "฿12,345,678.25");
  setup.fake.key = "new";
  setup.fake.cut();
  await until(
    () => textOf(tab, "amount"),
    (text) => text === null,
  );
});
