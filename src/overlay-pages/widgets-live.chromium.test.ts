// Widgets while something changes: the timer, also after a reload and after its server was killed, and settings that a streamer saves in the studio.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followLink, openChromium, openTab, sendForm, type Tab } from "../../conformance/meta/browser/chromium.ts";
import { noWidgets } from "../../conformance/meta/browser/fake-overlay.ts";
import { type FaultyServer, startFaultyServer } from "../../conformance/meta/browser/faulty-server.ts";
import { type OverlayTab, openOverlay, textOf, until } from "../../conformance/meta/browser/overlay-tab.ts";
import { expectedMessages, looksRight, screens } from "../../conformance/meta/browser/page-checks.ts";
import { createLiveStreamer, type LiveStreamer, newLogin } from "../../conformance/meta/browser/streamers.ts";
import { expectInside, setUpWidgets, untilText } from "../../conformance/meta/browser/widgets-setup.ts";
import { post, takeBack } from "../../conformance/suite/client/api.ts";
import { controlTimer, freshTimer, getTimer, timerOf } from "../../conformance/suite/client/overlay/alert-controls.ts";
import { target } from "../../conformance/suite/values/target.ts";

const setup = setUpWidgets();

const size = { width: 400, height: 130 };

const timer = (status: string, remainingMs: number) => ({
  ...noWidgets,
  timer: { status, remainingMs, endsAt: status === "running" ? "2026-11-20T12:30:00.000Z" : null },
});

/** What is shown as left, in seconds; NaN while nothing is. */
const secondsOn = async (tab: OverlayTab) =>
  ((await textOf(tab, "left")) ?? "x").split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

describe("its data", () => {
  test("a timer that runs counts down by itself, whatever the page's clock says", async () => {
    setup.fake.snapshot.widgets = timer("running", 3_723_000);
    const tab = await setup.open("timer", size);
    const first = await until(
      () => secondsOn(tab),
      (seconds) => seconds > 0,
    );
    expect(first).toBeLessThanOrEqual(3_723);
    expect(first).toBeGreaterThan(3_700);
    await until(
      () => secondsOn(tab),
      (seconds) => seconds < first - 1,
    );
    await expectInside(tab);
    expect(tab.complaints).toEqual([]);
  });

  test("a paused timer stands still and says so; one that has ended shows zero; without one nothing is shown", async () => {
    setup.fake.snapshot.widgets = timer("paused", 90_000);
    const tab = await setup.open("timer?lang=en", size);
    await untilText(tab, "left", "0:01:30");
    expect(await textOf(tab, "state")).toBe("paused");
    await tab.page.waitForTimeout(1_500); // a timer that ran would have moved on
    expect(await textOf(tab, "left")).toBe("0:01:30");
    setup.fake.send("widgets", timer("ended", 0));
    await untilText(tab, "state", "Time is up");
    expect(await textOf(tab, "left")).toBe("0:00:00");
    setup.fake.send("widgets", noWidgets);
    await until(
      () => textOf(tab, "left"),
      (text) => text === null,
    );
  });

  test("time that was added is shown beside the time that is left, and time that was taken is not", async () => {
    setup.fake.snapshot.widgets = timer("paused", 60_000);
    const tab = await setup.open("timer", size);
    await untilText(tab, "left", "0:01:00");
    setup.fake.send("widgets", timer("paused", 360_000));
    await untilText(tab, "gain", "+0:05:00");
    setup.fake.send("widgets", timer("paused", 30_000));
    await untilText(tab, "left", "0:00:30");
    expect(await textOf(tab, "gain")).toBe("+0:05:00");
    await expectInside(tab);
  });

  test("a second page of the browser shows what is left now, and not what was left when the first one connected", async () => {
    setup.fake.snapshot.widgets = timer("running", 600_000);
    const tab = await setup.open("timer", size);
    const first = await until(
      () => secondsOn(tab),
      (seconds) => seconds < 598,
    );
    const second = await tab.context.newPage();
    await second.goto(tab.page.url());
    const later = { ...tab, page: second };
    const seen = await until(
      () => secondsOn(later),
      (seconds) => seconds > 0,
    );
    expect(seen).toBeLessThanOrEqual(first);
  });
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
    const tab = await openOverlay({ url: server.url, key: streamer.key }, { path: "timer", options: { viewport: size } });
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
