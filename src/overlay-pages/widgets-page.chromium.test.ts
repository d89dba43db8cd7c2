// The page of a widget: what its address and its settings choose, and what it shows without a server, with a wrong key, and after its server was killed.

import type { Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../../conformance/meta/browser/chromium.ts";
import { noWidgets } from "../../conformance/meta/browser/fake-overlay.ts";
import { type FaultyServer, startFaultyServer } from "../../conformance/meta/browser/faulty-server.ts";
import { drawnOn, type OverlayTab, openOverlay, textOf, until } from "../../conformance/meta/browser/overlay-tab.ts";
import { createLiveStreamer, type LiveStreamer } from "../../conformance/meta/browser/streamers.ts";
import { donation, full, rows, secondsOn, setUpWidgets, untilText } from "../../conformance/meta/browser/widgets-setup.ts";
import { post, takeBack } from "../../conformance/suite/client/api.ts";
import { controlTimer, freshTimer, getTimer, timerOf } from "../../conformance/suite/client/overlay/alert-controls.ts";
import { target } from "../../conformance/suite/values/target.ts";

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
    .toBe(
      "ค่าในลิงก์หรือในการตั้งค่าวิดเจ็ตไม่ถูกต้อง ใช้ได้เฉพาะ span: all, today, month · Wrong value in the link or in the widget's settings. Allowed: span: all, today, month.",
    );
  const other = await tab.context.newPage();
  await other.goto(`${setup.fake.url}/overlay/recent?count=11&theme=pink&ink=notacolour&preview`);
  const hint = (await other.locator(".hint").textContent()) ?? "";
  for (const part of ["count: 1–10", "theme: namjai, mint", "ink: #27c7a5, teal"]) expect(hint).toContain(part);
  expect(tab.complaints).toEqual([]);
});

test("a widget shows its texts in the typeface that its address names, and loads no other than this one and Prompt", async () => {
  const tab = await setup.open("total?font=itim", { width: 400, height: 130 });
  await untilText(tab, "amount", "฿12,345,678.25");
  expect(await tab.page.evaluate("getComputedStyle(document.querySelector('.money')).fontFamily")).toBe("Itim, Prompt, sans-serif");
  expect(await tab.page.evaluate("document.fonts.check('700 1rem Itim', 'กA')")).toBe(true);
  const sheets = `performance.getEntriesByType("resource").map(({ name }) => /assets\\/(\\w+)(?:-\\w+)?\\.css$/.exec(name)?.[1]).filter(Boolean).sort()`;
  expect(await tab.page.evaluate(sheets)).toEqual(["itim", "widgets"]);
  expect(tab.complaints).toEqual([]);
});

/** Sends open pages what the streamer has chosen for the widget of their key. */
function choose(widget: { kind: string; query: string } | null): void {
  const { paused, hidden, settings } = setup.fake.snapshot;
  setup.fake.snapshot.widget = widget;
  setup.fake.send("settings", { paused, hidden, settings, widget });
}

const lookOf = ({ page }: OverlayTab): Promise<unknown> =>
  page.evaluate(`(({ lang, dataset, style }) => [lang, dataset.theme, ...["--card", "--edge", "--accent-warm"].map((name) => style.getPropertyValue(name))])(
    document.documentElement)`);

test("an open widget follows the settings of its key without a reload, and keeps what its address asks for itself", async () => {
  setup.fake.snapshot.widget = { kind: "top", query: "count=1&title=Mine&lang=en&theme=mint&card=%23112233" };
  const tab = await setup.open("top?count=2", { width: 400, height: 460 });
  await untilText(tab, "title", "Mine");
  expect(await lookOf(tab)).toEqual(["en", "mint", "#112233", "#112233", ""]);
  expect(await rows(tab)).toHaveLength(2);
  await tab.page.evaluate("window.isSame = true");
  choose({ kind: "top", query: "period=week&warm=teal" });
  await until(
    () => lookOf(tab),
    (look) => JSON.stringify(look) === JSON.stringify(["th", "namjai", "", "", "teal"]),
  );
  expect(await textOf(tab, "title"), "top donators of the week: there are none").toBeNull();
  choose({ kind: "recent", query: "title=Mine" });
  await untilText(tab, "title", "ผู้สนับสนุนสูงสุด");
  choose(null);
  choose({ kind: "top", query: "title=Last" });
  await untilText(tab, "title", "Last");
  expect([await tab.page.evaluate("window.isSame"), setup.fake.streams.length]).toEqual([true, 1]);
  expect(tab.complaints).toEqual([]);
});

test("a total that is still counting up shows the sum of the period that its settings were changed to", async () => {
  setup.fake.snapshot.widget = { kind: "total", query: "" };
  const tab = await setup.open("total", { width: 400, height: 130 });
  await untilText(tab, "amount", "฿12,345,678.25");
  setup.fake.send("widgets", { ...full, totals: { ...full.totals, all: { amount: 99_999_999, count: 5_000 } } });
  choose({ kind: "total", query: "span=today" });
  await untilText(tab, "title", "ยอดวันนี้");
  await tab.page.waitForTimeout(1_200); // longer than the counting
  expect(await textOf(tab, "amount")).toBe("฿1,854.50");
});

test("a wrong value in the settings of a key's widget is named on the page, and is gone once it was corrected", async () => {
  setup.fake.snapshot.widget = { kind: "total", query: "ink=notacolour" };
  const tab = await setup.open("total", { width: 400, height: 130 });
  await expect.poll(() => tab.page.locator(".hint").textContent()).toMatch(/Wrong value .*: ink: #27c7a5, teal\.$/);
  choose({ kind: "total", query: "ink=teal" });
  await expect.poll(() => tab.page.locator(".hint").count()).toBe(0);
});

test.each(["goal", "total", "recent?count=10", "top", "donator", "timer"])(
  "the preview of %s shows an example without a key, and connects to no server",
  async (path) => {
    const context = await (await openChromium()).newContext({ viewport: { width: 400, height: 460 } });
    const page = await context.newPage();
    await page.goto(`${setup.fake.url}/overlay/${path}${path.includes("?") ? "&" : "?"}preview`);
    await page.locator("main").waitFor();
    await page.waitForTimeout(300);
    expect(setup.fake.streams).toHaveLength(0);
    await expect.poll(() => page.locator(".hint").count()).toBe(0);
    await context.close();
  },
);

const sizes: [string, number, number][] = [
  ["goal", 450, 140],
  ["total", 400, 130],
  ["donator", 400, 130],
  ["timer", 400, 130],
  ["recent", 400, 460],
  ["recent?count=1", 400, 137],
  ["top?count=1", 400, 132],
  ["top?count=10", 400, 460],
];

test.each(sizes)("the shadow of %s ends before the edge of a source of %i × %i, in every theme", async (path, width, height) => {
  const context = await (await openChromium()).newContext({ viewport: { width, height } });
  const page = await context.newPage();
  await page.goto(`${setup.fake.url}/overlay/${path}${path.includes("?") ? "&" : "?"}preview`);
  await page.locator("main").waitFor();
  for (const theme of ["namjai", "mint", "sky", "gold", "night", "paper"]) {
    await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
    expect((await drawnOn({ page, context })).edge, theme).toBeLessThanOrEqual(2);
  }
  await context.close();
});

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

test.each(["100%", "ไทย", "a%20b"])("a page whose link has %j instead of a key says that the link no longer works", async (key) => {
  const context = await (await openChromium()).newContext({ viewport: { width: 400, height: 300 } });
  const page = await context.newPage();
  await page.goto(`${setup.fake.url}/overlay/total#${key}`);
  await page.locator(".hint", { hasText: "This link no longer works." }).waitFor();
  await context.close();
});

/** Runs in every frame: counts the images that are in its memory. */
const countImages = `(() => {
  const images = new Set();
  const [create, revoke] = [URL.createObjectURL.bind(URL), URL.revokeObjectURL.bind(URL)];
  window.images = { loaded: 0, kept: images };
  URL.createObjectURL = (blob) => {
    const url = create(blob);
    if (blob.type === "image/svg+xml") images.add(url);
    window.images.loaded += images.has(url) ? 1 : 0;
    return url;
  };
  URL.revokeObjectURL = (url) => {
    images.delete(url);
    revoke(url);
  };
})()`;

test("a preview that is replaced while its image is loading frees the image", async () => {
  // The page of the widget, which has no frames itself, stands for the studio's.
  const context = await (await openChromium()).newContext({ viewport: { width: 400, height: 460 }, bypassCSP: true });
  const page = await context.newPage();
  await page.addInitScript(countImages);
  const asked = Promise.withResolvers<Route>();
  await page.route("**/media?*", (route) => asked.resolve(route));
  await page.goto(`${setup.fake.url}/overlay/total?preview`);
  const show = (donatorName: string, image: string | null) => {
    const playback = { ...donation(1, donatorName, 50), id: "preview", source: "test", speech: null, variation: { image, sound: null } };
    const address = `/overlay/?preview#${encodeURIComponent(JSON.stringify({ playback, plays: false, volume: 0 }))}`;
    return page.evaluate(`(() => {
      const frame = document.querySelector("iframe") ?? document.body.appendChild(document.createElement("iframe"));
      frame.src = ${JSON.stringify(address)};
    })()`);
  };
  await show("First", "slow");
  const route = await asked.promise;
  await show("Second", null);
  await page.frameLocator("iframe").locator(".alert", { hasText: "Second" }).waitFor();
  await route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>' });
  const images = () => page.frames()[1]?.evaluate("[images.loaded, images.kept.size]");
  await expect.poll(images).toEqual([1, 0]);
  await context.close();
});

describe("a subathon", () => {
  let server: FaultyServer | null = null;
  let streamer: LiveStreamer;

  beforeAll(async () => {
    const { operator } = target();
    if (!operator) return;
    server = await startFaultyServer(operator, { TTS: "off" });
    streamer = await createLiveStreamer(server.operator, server.url);
  });
  afterAll(() => server?.stop());

  /** The page shows what the server says, to the second, once it has caught up. */
  async function expectTrue(tab: OverlayTab): Promise<void> {
    await expect
      .poll(async () => Math.abs((await secondsOn(tab)) - timerOf(await getTimer(streamer.as)).remainingMs / 1_000), { timeout: 60_000 })
      .toBeLessThan(1.5);
  }

  test("a donation, a pause, a reload and a server that is killed leave the page with the server's time", async () => {
    if (!server) throw new Error("not run: needs the operator's CLI");
    const options = streamer.as;
    await freshTimer(options);
    const tab = await openOverlay(
      { url: server.url, key: streamer.key },
      { path: "timer", options: { viewport: { width: 400, height: 130 } } },
    );
    await expectTrue(tab);
    const before = await secondsOn(tab);
    const one = await post({ amount: 600, skipAlert: true }, options);
    await until(
      () => secondsOn(tab),
      (seconds) => seconds > before + 500,
    );
    await tab.page.reload();
    await expectTrue(tab);
    await server.killServer();
    await post({ amount: 300, skipAlert: true }, options);
    await expectTrue(tab);
    await takeBack(one, "refund", options);
    await expectTrue(tab);
    expect(timerOf(await getTimer(options)).totalMs).toBe(3_900_000);
    await controlTimer("pause", options);
    await untilText(tab, "state", "หยุดพักอยู่");
    await expectTrue(tab);
    await tab.context.close();
  });
});
