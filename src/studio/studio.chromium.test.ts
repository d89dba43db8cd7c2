import type { Locator } from "playwright-core";
import { afterEach, describe, expect, test } from "vitest";
import { followLink, leave, openTab, sendForm, type Tab, takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
import { expectAccessible, expectedMessages, expectUsableLayout, reach, screens } from "../../conformance/meta/browser/page-checks.ts";
import { expectRevoked, makeOverlayKey, newLogin, openMenu, unfoldTestForm } from "../../conformance/meta/browser/streamers.ts";
import { me } from "../../conformance/suite/client/api.ts";
import { send } from "../../conformance/suite/client/http-client.ts";
import { acknowledge, closePages, follow, type Page as Overlay } from "../../conformance/suite/client/overlay/overlay-page.ts";
import { target } from "../../conformance/suite/values/target.ts";

// Password checks are slow on purpose, and each screen has its own streamer.

afterEach(() => closePages());

const clearQueue = "#clear-queue > summary";

const open = ({ page }: Tab, path: string) => page.goto(target().url + path);

const press = (tab: Tab, control: string) => sendForm(tab, tab.page.locator(`button[name=control][value=${control}]`));

const notice = ({ page }: Tab): Locator => page.locator("main > [role=status]");

const part = ({ page }: Tab, name: string): Locator => page.locator(`#live-${name}`);

const complaints = (tab: Tab): string[] => tab.complaints.filter((line) => !expectedMessages.test(line));

/** Waits until the page shows a change; without scripts it reloads the page. */
async function until(tab: Tab, name: string, text: string | RegExp): Promise<void> {
  const deadline = Date.now() + 60_000;
  const matches = async () => ((await part(tab, name).textContent()) ?? "").match(text) !== null;
  while (!(await matches())) {
    expect(Date.now(), `${name} never said ${text}: ${await part(tab, name).textContent()}`).toBeLessThan(deadline);
    if (tab.scripted) await tab.page.waitForTimeout(100);
    else await open(tab, "/studio");
  }
}

async function sendTest(tab: Tab, donatorName: string): Promise<void> {
  const { page } = tab;
  await unfoldTestForm(tab);
  await page.locator("input[name=donatorName]").fill(donatorName);
  await page.locator("input[name=message]").fill("สู้ๆ นะ ติดตามอยู่");
  await sendForm(tab, page.locator("form[action$='/studio/test'] button"));
}

/** Acknowledges the playback that the overlay page received as started. */
async function start(overlay: Overlay, key: string): Promise<void> {
  const { id } = await overlay.next("playback");
  expect((await acknowledge("started", id, { player: overlay.player, key })).status).toBe(200);
}

async function makeApiKey(tab: Tab): Promise<string> {
  await open(tab, "/studio/keys");
  await tab.page.locator("input[name=name]:not([type=hidden])").fill("StreamerBot");
  for (const scope of ["write:alerts", "read:alerts"]) await tab.page.locator(`input[name="scope ${scope}"]`).check();
  await sendForm(tab, tab.page.locator("form[action$='/studio/keys'] button").first());
  return tab.page.locator("#key").inputValue();
}

describe.each(screens)("%s", (screen, options) => {
  const looksRight = async (tab: Tab, name: string): Promise<void> => {
    await takeScreenshot(tab, `studio-${name}-${screen}`);
    if (!tab.scripted) return;
    await expectUsableLayout(tab);
    await expectAccessible(tab);
  };

  test("a streamer logs in and controls alerts, settings and keys in the studio", async () => {
    const tab = await openTab(options);
    const { page } = tab;

    await newLogin(tab, "/studio/settings");
    expect(page.url(), "the login leads back").toBe(`${target().url}/studio/settings`);
    await looksRight(tab, "settings");
    await page.locator("input[name=volume]").fill("101");
    await page.locator("textarea").fill("สแปม\nspam");
    await page.locator("input[name=speechMinimumAmount]").fill("5,000");
    const save = page.locator("form[action$='/studio/settings'] button.main").first();
    await sendForm(tab, save);
    await page.waitForSelector("[role=alert]");
    await expect.poll(() => page.locator("#field-volume").getAttribute("aria-invalid")).toBe("true");
    await expect
      .poll(() => page.locator("input[name=speechMinimumAmount]").inputValue(), { message: "what was typed is kept" })
      .toBe("5,000");
    await looksRight(tab, "settings-wrong");
    await page.locator("input[name=volume]").fill("40");
    await page.locator("input[name=speech]").uncheck();
    await sendForm(tab, save);
    await notice(tab).waitFor();
    await expect.poll(() => page.locator("textarea").inputValue()).toBe("สแปม\nspam");
    expect([
      await page.locator("input[name=volume]").inputValue(),
      await page.locator("input[name=speechMinimumAmount]").inputValue(),
    ]).toEqual(["40", "5000"]);
    await expect.poll(() => page.locator("input[name=speech]").isChecked()).toBe(false);

    await open(tab, "/studio/overlay");
    await looksRight(tab, "overlay-first");
    const key = await makeOverlayKey(tab);
    const overlay = await follow({ key });
    await looksRight(tab, "overlay-made");
    await open(tab, "/studio/overlay");
    await expect.poll(() => page.locator("#source-0").count(), { message: "shown only once" }).toBe(0);
    await looksRight(tab, "overlay");

    await open(tab, "/studio/overlay/widget?kind=recent");
    await page.locator("select[name=count]").selectOption("10");
    await page.locator("select[name=theme]").selectOption("mint");
    if (!tab.scripted) await sendForm(tab, page.locator("button[name=preview]"));
    await expect.poll(() => page.url(), { message: "the preview follows, and a reload shows the same" }).toMatch(/count=10.*theme=mint/);
    await page.getByText("Size in OBS: 400 × 880").waitFor();
    if (tab.scripted) await page.frameLocator("iframe").locator("li").nth(9).waitFor();
    await looksRight(tab, "widget");
    await page.locator("select[name=theme]").selectOption("sky");
    await leave(tab, () => page.locator("input[name=name]").press("Enter")); // as its main button
    await expect.poll(() => page.locator("#source-0").inputValue()).toMatch(/\/overlay\/recent#namjai_o1_\w+$/);
    await looksRight(tab, "widget-made");

    await open(tab, "/studio");
    await looksRight(tab, "empty");
    await press(tab, "pause");
    await until(tab, "status", "Paused");
    await sendTest(tab, "Anong");
    await notice(tab).waitFor();
    await sendTest(tab, "สมหญิง <b>ใจดี</b>");
    await until(tab, "waiting", /Anong.*สมหญิง <b>ใจดี<\/b>/s);
    await until(tab, "status", "2 waiting");
    await looksRight(tab, "paused");
    await page.locator(clearQueue).click();
    await press(tab, "clear");
    await until(tab, "waiting", "No alerts are waiting");
    await until(tab, "latest", "Skipped manually");

    await press(tab, "resume");
    await sendTest(tab, "Prasert");
    await start(overlay, key);
    await until(tab, "playing", /Prasert.*Playing/s);
    await looksRight(tab, "playing");
    await sendForm(tab, page.locator("#skip"));
    await until(tab, "status", "Ready");
    await until(tab, "playing", "Nothing is playing");
    await overlay.next("stop");
    await expect.poll(() => page.locator("#skip").isDisabled(), { message: "nothing to skip" }).toBe(true);
    await sendForm(tab, page.locator("button[name=donation]").first());
    await until(tab, "playing", /Prasert.*Replay/s);

    const apiKey = await makeApiKey(tab);
    expect((await me({ key: apiKey })).status).toBe(200);
    await looksRight(tab, "key-made");
    await followLink(tab, page.locator("main a").last());
    await page.locator("main summary").first().click();
    await looksRight(tab, "keys");
    await sendForm(tab, page.locator("form[action$='/studio/keys/revoke'] button"));
    await notice(tab).waitFor();
    await expectRevoked(apiKey);

    await openMenu(tab);
    await followLink(tab, page.locator(".account nav a[href$=connections]"));
    expect(page.url()).toMatch(/\/oauth\/connections$/);
    await looksRight(tab, "connections");
    await openMenu(tab);
    await sendForm(tab, page.locator("form[action$='/oauth/logout'] button"));
    await page.waitForSelector("input[name=password]");
    await open(tab, "/studio");
    expect(page.url()).toMatch(/\/oauth\/login$/);
    expect(complaints(tab)).toEqual([]);
    await tab.context.close();
  });
});

test("changes made elsewhere appear without a reload, and keep focus, typed text and an open question", async () => {
  const tab = await openTab();
  const { page } = tab;
  await newLogin(tab);
  const key = await makeApiKey(tab);
  const post = (path: string, body?: object) =>
    send({ method: "POST", path, key, ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }) });
  const focused = () => page.evaluate("document.activeElement.id");
  await open(tab, "/studio");

  await page.locator("#toggle").focus();
  await post("/api/v1/alerts/pause");
  await until(tab, "status", "Paused");
  await expect.poll(() => page.locator("#toggle").getAttribute("value")).toBe("resume");
  await expect.poll(() => focused()).toBe("toggle");

  await page.locator(clearQueue).click();
  await page.locator("input[name=message]").fill("half a sent");
  await post("/api/v1/alerts/test", { donatorName: "Elsewhere" });
  await until(tab, "waiting", "Elsewhere");
  await until(tab, "latest", "Elsewhere");
  await expect.poll(() => page.locator("#clear-queue").getAttribute("open")).not.toBeNull();
  await expect.poll(() => page.locator("input[name=message]").inputValue()).toBe("half a sent");
  await expect.poll(() => focused()).toBe("field-message");
  await expect.poll(() => part(tab, "status").getAttribute("role"), { message: "screen readers are told" }).toBe("status");

  expect(complaints(tab)).toEqual([]);
  await tab.context.close();
});

test("a page whose session has ended goes to the login page, and a page that cannot reach the server says so", async () => {
  const tab = await openTab();
  await newLogin(tab);
  await tab.context.setOffline(true);
  await tab.page.locator("#stale").waitFor();
  await takeScreenshot(tab, "studio-stale");
  await tab.context.setOffline(false);
  await tab.page.locator("#stale").waitFor({ state: "hidden" });
  const other = await tab.context.newPage();
  await other.goto(`${target().url}/studio/keys`);
  await openMenu({ page: other });
  await other.locator("form[action$='/oauth/logout'] button").click();
  await tab.page.waitForURL(/\/oauth\/login/);
  await tab.context.close();
});

test("the studio can be used with the keyboard alone", async () => {
  const tab = await openTab();
  const { page } = tab;
  await newLogin(tab);
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("skip");
  await takeScreenshot(tab, "studio-skip-link");
  const to = (selector: string) => reach(tab, selector);
  const send = () => leave(tab, () => page.keyboard.press("Enter"));
  await to("#toggle");
  await send();
  await until(tab, "status", "Paused");
  await to("input[name=message]");
  await send();
  await until(tab, "waiting", "Namjai");
  await to(clearQueue);
  await page.keyboard.press("Enter");
  await to("button[value=clear]");
  await send();
  await until(tab, "waiting", "No alerts are waiting");
  expect(complaints(tab)).toEqual([]);
  await tab.context.close();
});
