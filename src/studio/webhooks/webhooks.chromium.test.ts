// The studio's webhooks in Chromium: from the first endpoint to its deletion.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import { followLink, openTab, sendForm, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import { expectedMessages, looksRight, screens } from "../../../conformance/meta/browser/page-checks.ts";
import { newLogin } from "../../../conformance/meta/browser/streamers.ts";
import { create, recorded } from "../../../conformance/suite/client/api.ts";
import { donation } from "../../../conformance/suite/values/donations.ts";
import { remember } from "../../../conformance/suite/values/redact.ts";
import { target } from "../../../conformance/suite/values/target.ts";

// Password checks are slow on purpose, and each screen has its own streamer.

/** An endpoint on this machine: what it answers from now on, and what it got. */
type Endpoint = {
  address: string;
  status: number;
  answer: string;
  got: { headers: Record<string, string>; body: string }[];
  close: () => void;
};

async function openEndpoint(): Promise<Endpoint> {
  const server = createServer(async (request, response) => {
    endpoint.got.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    response.writeHead(endpoint.status).end(endpoint.answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a-secret-path`;
  const endpoint: Endpoint = { address, status: 200, answer: "ok", got: [], close: () => server.close().closeAllConnections() };
  return endpoint;
}

const open = ({ page }: Tab, path: string) => page.goto(target().url + path);

const submit = (tab: Tab, path: string) => sendForm(tab, tab.page.locator(`form[action$='${path}'] button`).first());

const notice = ({ page }: Tab) => page.locator("main > [role=status]");

async function newKey(tab: Tab): Promise<string> {
  await open(tab, "/studio/keys");
  await tab.page.locator("input[name=name]:not([type=hidden])").fill("Lamp");
  await submit(tab, "/studio/keys");
  return tab.page.locator("#key").inputValue();
}

async function secretOf(tab: Tab): Promise<string> {
  const secret = await tab.page.locator("#secret").inputValue();
  remember(secret);
  expect(secret).toMatch(/^whsec_/);
  return secret;
}

/** Unfolds the part of the page that has this button, with or without scripts, and presses it. */
async function pressFolded(tab: Tab, path: string): Promise<void> {
  const { page } = tab;
  const folded = page.locator("details:not([open])", { has: page.locator(`form[action$='${path}']`) });
  if (await folded.count()) await folded.locator("summary").click();
  await sendForm(tab, page.locator(`form[action$='${path}'] button`));
}

/** Loads the page until it says this. */
async function until(tab: Tab, text: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await tab.page.locator("main").textContent())?.includes(text)) {
    expect(Date.now(), `the page never said ${text}`).toBeLessThan(deadline);
    await tab.page.waitForTimeout(200);
    await tab.page.reload();
  }
}

test.each(screens)("a streamer adds, tests, changes and deletes a webhook and sees every delivery: %s", async (screen, options) => {
  const tab = await openTab(options);
  const { page } = tab;
  const endpoint = await openEndpoint();
  await newLogin(tab, "/studio/webhooks");
  await expect.poll(() => page.locator("input[name=url]").count(), { message: "no key, no webhook" }).toBe(0);
  await looksRight(tab, `studio-webhooks-empty-${screen}`);
  const key = await newKey(tab);

  await open(tab, "/studio/webhooks");
  await page.locator("input[name=url]").fill("https://user@hooks.test");
  await page.locator("input[name='type goal.reached']").check();
  await submit(tab, "/studio/webhooks");
  await page.waitForSelector("[role=alert]");
  await expect
    .poll(() => page.locator("#field-types-fault").textContent(), { message: "the key lacks read:alerts" })
    .toContain("lack the scope");
  await looksRight(tab, `studio-webhooks-wrong-${screen}`);
  await page.locator("input[name='type goal.reached']").uncheck();
  await submit(tab, "/studio/webhooks");
  await expect.poll(() => page.locator("#field-url-fault").textContent()).toContain("must not contain a user name");
  await page.locator("input[name=url]").fill(endpoint.address);
  await page.locator("input[name=description]").fill("Lights <b>on</b> stage");
  await submit(tab, "/studio/webhooks");
  const secret = await secretOf(tab);
  await looksRight(tab, `studio-webhook-secret-${screen}`);

  await followLink(tab, page.locator("main a").last());
  await submit(tab, "/studio/webhooks/test");
  await page.getByText("The endpoint answered 200").waitFor();
  expect(page.url(), "a reload sends no form again").toMatch(tab.scripted ? /\/endpoint\?id=/ : /\/test$/);
  const [test] = endpoint.got.splice(0);
  expect(new Verifier(secret).verify(test?.body ?? "", test?.headers ?? {})).toMatchObject({ type: "donation.created" });

  Object.assign(endpoint, { status: 500, answer: "<b>broken</b>" });
  recorded(await create(donation(), { key }));
  await followLink(tab, page.locator("main a").first());
  await followLink(tab, page.locator("main .cards a").first());
  await until(tab, "Answered 500");
  await expect.poll(() => page.locator("main").textContent()).toContain("<b>broken</b>");
  await looksRight(tab, `studio-webhook-${screen}`);
  endpoint.status = 200;
  await sendForm(tab, page.locator("button[name=delivery]"));
  await notice(tab).waitFor();
  await followLink(tab, page.locator("nav a[href*='status=succeeded']"));
  await until(tab, "Answered 200");
  const before = endpoint.got.length;
  await sendForm(tab, page.locator("button[name=delivery]"));
  await notice(tab).waitFor();
  expect(page.url(), "the filter is kept").toContain("status=succeeded");
  await until(tab, `${before + 1} attempts`);
  expect(new Set(endpoint.got.map(({ headers }) => headers["webhook-id"])).size, "the same event").toBe(1);

  await pressFolded(tab, "/studio/webhooks/recover");
  await page.getByText("Every event since then has arrived already.").waitFor();

  await pressFolded(tab, "/studio/webhooks/rotate");
  await expect.poll(() => secretOf(tab)).not.toBe(secret);
  await followLink(tab, page.locator("main a").last());
  await until(tab, "Previous secret works until");
  await submit(tab, "/studio/webhooks/enable");
  await page.getByText("Disabled by request").waitFor();
  await expect.poll(() => page.locator("button[name=delivery]").count(), { message: "a disabled webhook sends nothing" }).toBe(0);
  await looksRight(tab, `studio-webhook-disabled-${screen}`);
  await open(tab, "/studio/webhooks");
  await expect.poll(() => page.content(), { message: "the path is a secret" }).not.toContain("a-secret-path");
  await looksRight(tab, `studio-webhooks-${screen}`);
  await followLink(tab, page.locator("main .cards a").first());
  await pressFolded(tab, "/studio/webhooks/delete");
  await page.getByText("You have no webhooks").waitFor();
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});
