// A streamer's studio with something on every page, and a walk through pages by their links.

import { expect } from "vitest";
import { create, recorded } from "../../suite/client/api.ts";
import { authorizationPath } from "../../suite/client/oauth/authorization.ts";
import { challengeOf, newVerifier } from "../../suite/client/oauth/oauth-client.ts";
import { addKey } from "../../suite/client/operator.ts";
import { change } from "../../suite/client/overlay/alert-controls.ts";
import { remember } from "../../suite/values/redact.ts";
import { target } from "../../suite/values/target.ts";
import { sendForm, type Tab } from "./chromium.ts";
import { tone } from "./fake-overlay.ts";

/** Looks at the page that the tab shows. */
export type Look = (tab: Tab) => Promise<void>;

/** The path of a link, and which kind of page it asks for: pages that differ in other parameters look the same. */
export function kindOf(href: string): string {
  const { pathname, searchParams } = new URL(href);
  return [pathname, ...["kind", "by"].flatMap((name) => searchParams.get(name) ?? [])].join(" ");
}

/** Opens each kind of page once that this page and those behind its links lead to, as far as their paths match. Returns the kinds. */
export async function walk(tab: Tab, { start, inside }: { start: string; inside: RegExp }, look: Look): Promise<Set<string>> {
  const { page } = tab;
  const { origin } = new URL(target().url);
  const waiting = [target().url + start];
  const seen = new Set(waiting.map(kindOf));
  for (let href = waiting.shift(); href !== undefined; href = waiting.shift()) {
    await page.goto(href, { waitUntil: "domcontentloaded" });
    const links: string[] = await page.evaluate(
      "[...document.links].filter((one) => !one.hasAttribute('download')).map(({ href }) => href)",
    );
    await look(tab);
    for (const link of links.map((one) => new URL(one)).filter((one) => one.origin === origin && inside.test(one.pathname))) {
      if (seen.has(kindOf(link.href))) continue;
      seen.add(kindOf(link.href));
      waiting.push(link.href);
    }
  }
  return seen;
}

/** `text`: one of at most so many characters, by default like the sample. */
type Filling = Readonly<{ handle: string; text: (maxLength: number, sample: string) => string; look: Look }>;

/** Puts something on every page of the studio of the streamer who is logged in, and looks at what each form answers. Returns a moderator's key. */
export async function fillStudio(tab: Tab, { handle, text, look }: Filling): Promise<string> {
  const { page } = tab;
  const key = await addKey(target().operator!, handle, "write:donations write:alerts moderate:alerts", text(60, "Chatbot"));
  remember(key);
  const goal = { title: text(60, "ไมค์ใหม่ให้ช่อง"), target: 1e6, from: "2026-11-20" };
  expect((await change({ approval: "all", approvalSeconds: 600, blockedWords: [text(50, "คำหยาบ")], goal }, { key })).status).toBe(200);
  const donation = { donatorName: text(50, "สมชาย ใจดี"), amount: 1_000_000, message: `m${text(254, "สู้ ๆ นะครับ เล่นเก่งมาก 🎉")}` };
  for (const more of [{}, { identifier: text(120, "somchai") }]) recorded(await create({ ...donation, ...more }, { key }));
  const redirectUri = `https://${"w".repeat(60)}.example/${text(400, "callback")}`;
  const forms: [path: string, action: string, values: Readonly<Record<string, string>>][] = [
    ["/studio/overlay", "/studio/overlay", { name: text(60, "PC ที่บ้าน") }],
    ["/studio/overlay/widget?kind=top", "/overlay/widget", { name: text(59, "อันดับ"), title: text(60, "คนใจดีของเดือนนี้") }],
    ["/studio/keys", "/studio/keys", { name: text(60, "Discord"), application: text(59, "discord-bot") }],
    ["/studio/designer/variation", "/designer/variation", { name: text(60, "500 ขึ้นไป"), template: text(200, "{name} โดเนท {amount}") }],
    [
      "/studio/webhooks",
      "/studio/webhooks",
      { url: `http://127.0.0.1:9/${text(1_000, "donations")}`, description: text(200, "บอตของช่อง") },
    ],
    ["/studio/apps", "/studio/apps", { name: text(60, "Stream deck"), redirectUris: redirectUri }],
  ];
  for (const [path, action, values] of forms) await send(tab, { path, action, values }, look);
  await grant(tab, redirectUri, look);
  const sound = { name: `${text(96, "ding")}.wav`, mimeType: "audio/wav", buffer: tone(1) };
  await upload(tab, { path: "/studio/designer", action: "/designer/upload", file: sound }, look);
  const lines = [`name,amount,${text(100, "comment")}`, `${text(50, "มาลี")},1,${text(255, "สวัสดี")}`, `${text(51, "w".repeat(51))},1,`];
  const list = { name: `${text(196, "tips")}.csv`, mimeType: "text/csv", buffer: Buffer.from(lines.join("\n")) };
  await upload(tab, { path: "/studio/import", action: "/import/check", file: list }, look);
  await send(tab, { path: "/studio/privacy", action: "/privacy/check", values: { who: text(50, "สมชาย ใจดี") } }, look);
  await page.goto(`${target().url}/studio/home`);
  return key;
}

/** Fills in fields of the page at the path, and sends the form with this action. */
async function send(
  tab: Tab,
  { path, action, values }: { path: string; action: string; values: Readonly<Record<string, string>> },
  look: Look,
) {
  const { page } = tab;
  await page.goto(target().url + path);
  const form = page.locator(`form[action$='${action}']`, { has: page.locator("button.main") });
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
  for (const [name, value] of Object.entries(values)) await form.locator(`[name="${name}"]`).fill(value);
  await sendForm(tab, form.locator("button.main").last());
  await look(tab);
}

type Upload = { path: string; action: string; file: { name: string; mimeType: string; buffer: Buffer } };

/** A file, uploaded on the page at the path. */
async function upload(tab: Tab, { path, action, file }: Upload, look: Look): Promise<void> {
  await tab.page.goto(target().url + path);
  const form = tab.page.locator(`form[action$='${action}']`);
  await form.locator("input[type=file]").setInputFiles(file);
  await sendForm(tab, form.locator("button"));
  await look(tab);
}

/** Grants access to the application that has just been registered. */
async function grant(tab: Tab, redirectUri: string, look: Look): Promise<void> {
  const { page } = tab;
  const id = (await page.locator("main code").first().textContent()) ?? "";
  const client = { id, secret: null, name: "", redirectUris: [redirectUri], scopes: [] };
  const asked = { scope: "read:donations", code_challenge: challengeOf(newVerifier()), code_challenge_method: "S256" };
  await page.goto(target().url + authorizationPath(client, asked));
  await look(tab);
  await page.route("https://*.example/**", (route) => route.fulfill({ body: "" }));
  await sendForm(tab, page.locator("button[value=approve]"));
}
