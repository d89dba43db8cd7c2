// No page scrolls sideways, on a small phone, a phone and a desktop, with the longest texts that there can be, none of which has a blank.

import type { Browser } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { create, recorded } from "../../suite/client/api.ts";
import { authorizationPath } from "../../suite/client/oauth/authorization.ts";
import { challengeOf, newVerifier } from "../../suite/client/oauth/oauth-client.ts";
import { addKey } from "../../suite/client/operator.ts";
import { change } from "../../suite/client/overlay/alert-controls.ts";
import { remember } from "../../suite/values/redact.ts";
import { target } from "../../suite/values/target.ts";
import { openChromium, openTab, sendForm, type Tab } from "./chromium.ts";
import { tone } from "./fake-overlay.ts";
import { newLogin } from "./studio-session.ts";

const widths = [320, 390, 1440];

/** As long as a text may be, of the widest Latin letter. */
const wide = (length: number): string => "W".repeat(length);

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
});

/** What is wrong with the width of the page that the tab shows, with everything unfolded, and the innermost elements that stick out. */
async function faultsOf({ page }: Tab): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    const [shown, outside]: [number, string[]] = await page.evaluate(`(() => {
      for (const part of document.querySelectorAll("details")) part.open = true;
      const beyond = (one) => one.getBoundingClientRect().right > innerWidth + 1;
      const { scrollWidth } = document.documentElement;
      const outside = [...document.body.querySelectorAll("*")].filter((one) => beyond(one) && ![...one.children].some(beyond));
      return [scrollWidth, scrollWidth > innerWidth ? outside.slice(0, 5).map((one) => one.outerHTML.slice(0, 120)) : []];
    })()`);
    if (shown > width) faults.push(`${page.url()} is ${shown} pixels wide on a screen of ${width}: ${outside.join(" ")}`);
  }
  return faults;
}

/** The path of a link, and which kind of page it asks for: pages that differ in other parameters look the same. */
function kindOf(href: string): string {
  const { pathname, searchParams } = new URL(href);
  return [pathname, ...["kind", "by"].flatMap((name) => searchParams.get(name) ?? [])].join(" ");
}

/** Opens each kind of page once that this page and those behind its links lead to, as far as their paths match. */
async function walk(tab: Tab, start: string, inside: RegExp): Promise<{ seen: Set<string>; faults: string[] }> {
  const { page } = tab;
  const { origin } = new URL(target().url);
  const waiting = [target().url + start];
  const seen = new Set(waiting.map(kindOf));
  const faults: string[] = [];
  for (let href = waiting.shift(); href !== undefined; href = waiting.shift()) {
    await page.goto(href, { waitUntil: "domcontentloaded" });
    faults.push(...(await faultsOf(tab)));
    const links: string[] = await page.evaluate(
      "[...document.links].filter((one) => !one.hasAttribute('download')).map(({ href }) => href)",
    );
    for (const link of links.map((one) => new URL(one)).filter((one) => one.origin === origin && inside.test(one.pathname))) {
      if (seen.has(kindOf(link.href))) continue;
      seen.add(kindOf(link.href));
      waiting.push(link.href);
    }
  }
  return { seen, faults };
}

/** Fills in fields of the page at the path, sends the form with this action, and returns what is wrong with the page that answers. */
async function send(tab: Tab, path: string, action: string, values: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const { page } = tab;
  await page.goto(target().url + path);
  const form = page.locator(`form[action$='${action}']`, { has: page.locator("button.main") });
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
  for (const [name, value] of Object.entries(values)) await form.locator(`[name="${name}"]`).fill(value);
  await sendForm(tab, form.locator("button.main").last());
  return faultsOf(tab);
}

/** A file of this name, uploaded on the page at the path. */
async function upload(tab: Tab, path: string, action: string, file: { name: string; mimeType: string; buffer: Buffer }): Promise<string[]> {
  await tab.page.goto(target().url + path);
  const form = tab.page.locator(`form[action$='${action}']`);
  await form.locator("input[type=file]").setInputFiles(file);
  await sendForm(tab, form.locator("button"));
  return faultsOf(tab);
}

/** A streamer who registers an application, with a long name as well, and grants it access: returns what is wrong with its pages. */
async function grant(tab: Tab): Promise<string[]> {
  const { page } = tab;
  const redirectUri = `https://${"w".repeat(60)}.example/${wide(400)}`;
  const made = await send(tab, "/studio/apps", "/studio/apps", { name: wide(60), redirectUris: redirectUri });
  const id = (await page.locator("main code").first().textContent()) ?? "";
  const client = { id, secret: null, name: "", redirectUris: [redirectUri], scopes: [] };
  const asked = { scope: "read:donations", code_challenge: challengeOf(newVerifier()), code_challenge_method: "S256" };
  await page.goto(target().url + authorizationPath(client, asked));
  const faults = [...made, ...(await faultsOf(tab))];
  await page.route("https://*.example/**", (route) => route.fulfill({ body: "" }));
  await sendForm(tab, page.locator("button[value=approve]"));
  return faults;
}

test.concurrent("no page of the docs is wider than its screen, at 320, 390 and 1440 pixels", async () => {
  const tab = await openTab(browser);
  const { seen, faults } = await walk(tab, "/docs/", /^\/docs[^.]*$/);
  expect(faults).toEqual([]);
  expect(seen.size).toBeGreaterThan(15);
  await tab.context.close();
});

const csv = (text: string) => ({ name: `${wide(196)}.csv`, mimeType: "text/csv", buffer: Buffer.from(text) });

test.concurrent("no page of the studio and the login is wider than its screen with the longest texts, at 320, 390 and 1440 pixels", async () => {
  const tab = await openTab(browser);
  const { page } = tab;
  await page.goto(`${target().url}/studio`);
  const login = await faultsOf(tab);
  const { handle } = await newLogin(tab, "/studio/overlay");
  const operator = target().operator!;
  const key = await addKey(operator, handle, "write:donations write:alerts moderate:alerts", wide(60));
  remember(key);
  const goal = { title: wide(60), target: 1e6, from: "2026-11-20" };
  expect((await change({ approval: "all", approvalSeconds: 600, blockedWords: [wide(50)], goal }, { key })).status).toBe(200);
  const donation = { donatorName: wide(50), amount: 1_000_000, message: `m${wide(254)}` };
  for (const more of [{}, { identifier: wide(120) }]) recorded(await create({ ...donation, ...more }, { key }));
  const forms = [
    ...login,
    ...(await send(tab, "/studio/overlay", "/studio/overlay", { name: wide(60) })),
    ...(await send(tab, "/studio/overlay/widget?kind=top", "/overlay/widget", { name: wide(59), title: wide(60) })),
    ...(await send(tab, "/studio/keys", "/studio/keys", { name: wide(60), application: wide(59) })),
    ...(await send(tab, "/studio/designer/variation", "/designer/variation", { name: wide(60), template: wide(200) })),
    ...(await upload(tab, "/studio/designer", "/designer/upload", { name: `${wide(96)}.wav`, mimeType: "audio/wav", buffer: tone(1) })),
    ...(await send(tab, "/studio/webhooks", "/studio/webhooks", { url: `http://127.0.0.1:9/${wide(1_000)}`, description: wide(200) })),
    ...(await grant(tab)),
    ...(await upload(
      tab,
      "/studio/import",
      "/import/check",
      csv(`name,amount,${wide(100)}\n${wide(50)},1,${wide(255)}\n${wide(51)},1,\n`),
    )),
    ...(await send(tab, "/studio/privacy", "/privacy/check", { who: wide(50) })),
  ];
  await page.goto(`${target().url}/moderate#${key}`);
  await page.locator("#queue li").first().waitFor();
  const moderated = await faultsOf(tab);
  const { seen, faults } = await walk(tab, "/studio", /^\/(?:studio|oauth)/);
  expect([...forms, ...moderated, ...faults]).toEqual([]);
  for (const path of [
    "/studio/donation",
    "/studio/donator",
    "/studio/void",
    "/studio/designer/variation",
    "/studio/webhooks/endpoint",
    "/oauth/connections",
  ])
    expect(seen).toContain(path);
  await tab.context.close();
});
