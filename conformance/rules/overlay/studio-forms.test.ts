// Every form of the studio names all of its faults at once, so that nobody mends one field to be told of the next.

import { beforeEach, describe, expect, test } from "vitest";
import { create, recorded } from "../../suite/client/api.ts";
import { needsClients } from "../../suite/client/oauth/oauth-client.ts";
import { formTo, newStreamer, newVisitor, type Page, submit, type Visitor, visit } from "../../suite/client/page-visitor.ts";
import { lengthsOf } from "../../suite/contract/interface.ts";
import { donation } from "../../suite/values/donations.ts";
import { remember } from "../../suite/values/redact.ts";
import { type Operator, operatorOf } from "../../suite/values/target.ts";

const long = (letters: number) => "ก".repeat(letters);
/** One letter more than the member of a donation may have. */
const tooLong = (member: string) => long(lengthsOf(member).max + 1);

/** `page`: where the form stands. `fields`: what is typed and ticked. What stands in braces in either is replaced. `faults`: the fields that are named. */
type Case = Readonly<{ form: string; page: string; fields: Record<string, string>; faults: readonly string[] }>;

const cases: readonly Case[] = [
  {
    form: "/studio/test",
    page: "/studio",
    fields: { donatorName: tooLong("donatorName"), amount: "many", message: tooLong("message") },
    faults: ["donatorName", "amount", "message"],
  },
  { form: "/studio/void", page: "/studio/void?donation={donation}", fields: { note: long(256) }, faults: ["reason", "note"] },
  {
    form: "/studio/settings",
    page: "/studio/settings",
    fields: {
      ...{ minimumAmount: "-1", volume: "101", speechSpeed: "9", minimumSeconds: "20", maximumSeconds: "10", blockedWords: long(51) },
      ...{ pauseSeconds: "2", fasterFrom: "10", askFrom: "0", speechMinimumAmount: "0", approvalSeconds: "120" },
      ...{ blockedWordAction: "skip", approval: "off", onTimeout: "drop" },
    },
    faults: ["minimumAmount", "volume", "speechSpeed", "maximumSeconds", "blockedWords"],
  },
  {
    form: "/studio/goals",
    page: "/studio/goals",
    fields: { title: "", target: "0", from: "2026-12-02", to: "2026-12-01" },
    faults: ["title", "target", "to"],
  },
  {
    form: "/studio/designer/variation",
    page: "/studio/designer/variation",
    fields: {
      ...{ name: "", from: "50", to: "40", size: "9999", fontSize: "100", seconds: "1", template: "{nmae}", accentColor: "reddish" },
      ...{ theme: "neon", enter: "theme", leave: "theme", image: "gone", sound: "gone", voice: "" },
    },
    faults: ["name", "to", "size", "seconds", "template", "accentColor", "image", "sound"],
  },
  {
    form: "/studio/overlay/widget",
    page: "/studio/overlay/widget?kind=recent",
    fields: { kind: "recent", count: "99", theme: "none", title: long(200), lang: "en", card: "<b>", name: "" },
    faults: ["count", "theme", "title", "card", "name"],
  },
  {
    form: "/studio/keys",
    page: "/studio/keys",
    fields: { name: "", application: long(61), expires: "2020-01-01" },
    faults: ["name", "application", "expires", "scopes"],
  },
  {
    form: "/studio/webhooks",
    page: "/studio/webhooks",
    fields: { url: "ftp://hooks.test/x", description: long(2000), application: "{application}" },
    faults: ["url", "description", "types"],
  },
  {
    form: "/studio/webhooks/change",
    page: "{webhook}",
    fields: { url: "https://user@hooks.test/x", description: long(2000), "type alert.shown": "on" },
    faults: ["url", "description", "types"],
  },
  {
    form: "/studio/apps",
    page: "/studio/apps",
    fields: { name: "", redirectUris: "http://evil.example/a\nnothing" },
    faults: ["name", "redirectUris", "scopes"],
  },
  { form: "/studio/apps/change", page: "{app}", fields: { name: "", redirectUris: "nothing" }, faults: ["name", "redirectUris"] },
  {
    form: "/studio/account/password",
    page: "/studio/account",
    fields: { current: "", next: "short", repeated: "shorter" },
    faults: ["current", "next", "repeated"],
  },
];

/** Forms in which no two fields can be at fault, each with the reason. */
const withoutSeveral: Readonly<Record<string, string>> = {
  "/oauth/logout": "a button",
  "/studio/control": "buttons",
  "/studio/replay": "buttons",
  "/studio/decide": "buttons",
  "/studio/lead": "buttons",
  "/studio/history": "sent by GET: a rule of its own below",
  "/studio/overlay": "a name alone",
  "/studio/overlay/revoke": "a button",
  "/studio/overlay/sound": "a choice alone",
  "/studio/designer/upload": "a file alone",
  "/studio/keys/revoke": "a button",
  "/studio/webhooks/enable": "a button",
  "/studio/webhooks/rotate": "a button",
  "/studio/webhooks/delete": "a button",
  "/studio/webhooks/test": "a button",
  "/studio/webhooks/redeliver": "a button",
  "/studio/webhooks/recover": "a choice alone",
  "/studio/apps/rotate": "a button",
  "/studio/apps/delete": "a button",
  "/studio/import/check": "a file, whose rows and columns are not fields: a rule of its own below",
  "/studio/privacy/check": "a donator alone",
  "/studio/privacy/retention": "a number alone",
  "/studio/account/preferences": "lists alone",
  "/studio/account/session": "a button",
  "/studio/account/sessions": "a button",
};

let visitor: Visitor;
/** What `{donation}`, `{application}`, `{webhook}` and `{app}` stand for. */
const places = new Map<string, string>();

const filled = (text: string) => text.replace(/\{(donation|application|webhook|app)\}/, (_, name: string) => places.get(name) ?? "");
const pageOf = ({ page }: Pick<Case, "page">) => visit(visitor, filled(page));
const faultsOf = ({ reply }: Page) => [...reply.text.matchAll(/id="field-([\w-]+)-fault"/g)].map(([, name]) => name ?? "").sort();

/** What a form says of itself, as a browser sends it along; boxes are not ticked. */
const ownFields = ["formToken", "donation", "back", "webhook", "app", "newest", "place", "version", "shown"];

/** Sends the form of a page to this action with what is typed and ticked. */
function send(page: Page, action: string, typed: Record<string, string>): Promise<Page> {
  const form = formTo(page, action);
  const fields = Object.fromEntries(Object.entries(form.fields).filter(([name]) => ownFields.includes(name)));
  return submit(visitor, { ...form, fields }, Object.fromEntries(Object.entries(typed).map(([name, text]) => [name, filled(text)])));
}

/** Finds what the page's text has. */
async function find(path: string, pattern: RegExp): Promise<string> {
  const { text } = (await visit(visitor, path)).reply;
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`${path} has no ${pattern}: ${text.slice(-3000)}`);
  return found.replaceAll("&amp;", "&");
}

let opened: Promise<void> | null = null;
beforeEach(needsClients);
beforeEach(async (context) => {
  await (opened ??= open(operatorOf(context)));
});

/** A streamer with a key that may read donations, a donation, a webhook and an application. */
async function open(operator: Operator): Promise<void> {
  visitor = newVisitor();
  await submit(visitor, formTo(await visit(visitor, "/studio"), "/oauth/login"), await newStreamer(operator));
  const keyForm = { name: "Bot", "scope read:donations": "on", "scope write:donations": "on" };
  const made = await send(await visit(visitor, "/studio/keys"), "/studio/keys", keyForm);
  const [key = ""] = /namjai_v1_\w+/.exec(made.reply.text) ?? [];
  remember(key);
  places.set("donation", recorded(await create(donation(), { key })).id);
  places.set("application", await find("/studio/webhooks", /<select id="field-application".*?<option value="([^"]+)"/s));
  const webhook = { url: "https://hooks.test/x", application: "{application}", "type donation.created": "on" };
  await send(await visit(visitor, "/studio/webhooks"), "/studio/webhooks", webhook);
  places.set("webhook", await find("/studio/webhooks", /href="(\/studio\/webhooks\/endpoint\?id=[^"]+)"/));
  const app = { name: "Lamp", kind: "public", redirectUris: "https://lamp.example/callback", "scope read:donations": "on" };
  await send(await visit(visitor, "/studio/apps"), "/studio/apps", app);
  places.set("app", await find("/studio/apps", /href="(\/studio\/apps\/app\?id=[^"]+)"/));
}

describe("every form of the studio names all of its faults at once", () => {
  test.each(cases)("$form names $faults beside their fields and in its summary", async ({ form, page, fields, faults }) => {
    const answer = await send(await pageOf({ page }), form, fields);
    expect(answer.reply.status).toBe(400);
    expect(faultsOf(answer)).toEqual([...faults].sort());
    const [summary = ""] = /<div class="wrong" role="alert">.*?<\/div>/s.exec(answer.reply.text) ?? [];
    for (const name of faults) expect(summary, name).toContain(`href="#field-${name}"`);
  });

  test("no form of the studio's pages is missing among these rules, or in the list of those without several fields", async () => {
    const pages = [
      ...["/studio", "/studio/history", "/studio/overlay", "/studio/designer", "/studio/import", "/studio/privacy", "/studio/account"],
      ...cases.map(({ page }) => page),
    ];
    const forms = new Set<string>();
    for (const page of new Set(pages)) for (const { action } of (await pageOf({ page })).forms) forms.add(action);
    const known = new Set([...cases.map(({ form }) => form), ...Object.keys(withoutSeveral)]);
    expect([...forms].filter((form) => !known.has(form))).toEqual([]);
  });

  test("the filters of the history name an amount that is none beside days in the wrong order", async () => {
    const { reply } = await visit(visitor, `/studio/history?minAmount=much&from=2026-11-20&to=2026-11-01&identifier=${"x".repeat(300)}`);
    expect(reply.status).toBe(400);
    for (const name of ["minAmount", "to", "identifier"]) expect(reply.text, name).toContain(`id="field-${name}-fault"`);
  });

  test("an imported file names both columns that it lacks, and every fault of a row", async () => {
    const check = async (text: string) => {
      const file = { file: Buffer.from(text).toString("base64"), "file name": "tips.csv" };
      return (await send(await visit(visitor, "/studio/import"), "/studio/import/check", file)).reply.text;
    };
    expect(await check("mood,note\nhappy,x\n")).toMatch(/donator(&#39;|')s name and of the amount/);
    const row = await check(`name,amount,time\n${tooLong("donatorName")},5o,2025-02-30\n`);
    for (const cell of ["5o", "2025-02-30", `at most ${lengthsOf("donatorName").max}`]) expect(row, cell).toContain(cell);
  });
});
