import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { create, expectProblem, me, recorded } from "../../suite/client/api.ts";
import { send, sendUnchecked } from "../../suite/client/http-client.ts";
import { needsClients } from "../../suite/client/oauth/oauth-client.ts";
import { closePages, follow, type Page as OverlayPage } from "../../suite/client/overlay/overlay-page.ts";
import { type Form, formTo, newStreamer, newVisitor, type Page, submit, type Visitor, visit } from "../../suite/client/page-visitor.ts";
import { donation } from "../../suite/values/donations.ts";
import { remember } from "../../suite/values/redact.ts";
import { type Login, type Operator, operatorOf, target } from "../../suite/values/target.ts";

const names =
  "home dock overlay overlay/widget overlay/widget/settings designer timer settings goals keys webhooks apps import money history privacy account";
const pages = ["/studio", ...names.split(" ").map((name) => `/studio/${name}`)];

/** Two streamers, each in a browser of their own. */
let mine: Visitor;
let hers: Visitor;

const logIn = async (login: Login, to = "/studio"): Promise<[Visitor, Page]> => {
  const visitor = newVisitor();
  return [visitor, await submit(visitor, formTo(await visit(visitor, to), "/oauth/login"), login)];
};

/** The key that a page shows once. */
function shownKey({ reply }: Page): string {
  const [key] = /namjai_[vo]1_\w+/.exec(reply.text) ?? [];
  if (!key) throw new Error(`no key is shown: ${reply.text.slice(-2000)}`);
  remember(key);
  return key;
}

const makeApiKey = async (visitor: Visitor, fields: Record<string, string> = {}): Promise<string> => {
  const form = formTo(await visit(visitor, "/studio/keys"), "/studio/keys");
  const { formToken } = form.fields;
  const typed = {
    formToken: formToken ?? "",
    name: "Bot",
    "scope write:donations": "on",
    "scope read:donations": "on",
    "scope write:alerts": "on",
  };
  return shownKey(await submit(visitor, { ...form, fields: typed }, fields));
};

let overlayKeys = 0;
const makeOverlayKey = async (visitor: Visitor): Promise<string> =>
  shownKey(await submit(visitor, formTo(await visit(visitor, "/studio/overlay"), "/studio/overlay"), { name: `Key ${overlayKeys++}` }));

const stream = (key: string) => send({ path: "/api/v1/overlay/speech/none", key });

let pair: Promise<[Visitor, Visitor]> | null = null;

async function twoStreamers(operator: Operator): Promise<[Visitor, Visitor]> {
  const one = async () => (await logIn(await newStreamer(operator)))[0];
  return Promise.all([one(), one()]);
}

beforeEach(needsClients);
afterEach(() => closePages());
beforeEach(async (context) => {
  [mine, hers] = await (pair ??= twoStreamers(operatorOf(context)));
});

describe("access to the studio", () => {
  test.each(pages)("%s sends a visitor without a session to the login", async (path) => {
    const visitor = newVisitor();
    const { forms, reply } = await visit(visitor, path);
    expect([reply.status, ...forms.map(({ action }) => action)]).toEqual([200, "/oauth/login"]);
  });

  test("a login without a destination, and one at the studio's address, lead to the studio's home page", async (context) => {
    const login = await newStreamer(operatorOf(context));
    for (const path of ["/oauth/login", "/studio"]) expect((await logIn(login, path))[1].path, path).toBe("/studio/home");
  });

  test("an API key opens no page of the studio", async () => {
    const { text } = await sendUnchecked({ path: "/studio", key: target().keys.main });
    expect(text).not.toContain("<h1>");
  });
});

describe("forms of the studio", () => {
  const actions = {
    "/studio/home": "steps",
    "/studio/donator": "note block",
    "/studio": "control replay decide lead void test keys keys/revoke settings goals goals/move",
    "/studio/overlay": "revoke sound widget widget/settings",
    "/studio/designer": "variation preview move test delete-file",
    "/studio/timer": "control start adjust rules",
    "/studio/webhooks": "change enable rotate delete test redeliver recover",
    "/studio/apps": "change rotate delete",
    "/studio/import": "check start undo",
    "/studio/privacy": "check erase retention",
    "/studio/account": "password preferences session sessions",
  };
  const forms = Object.entries(actions).flatMap(([folder, some]) => some.split(" ").map((name) => `${folder}/${name}`));
  const own = ["/studio/overlay", "/studio/webhooks", "/studio/apps"];

  test.each([...own, ...forms])(
    "%s is refused from another site, without its form token and with another streamer's (CSRF)",
    async (action) => {
      const form: Form = { action, fields: { control: "clear", name: "x", "scope read:donations": "on" }, buttons: [] };
      const { formToken } = formTo(await visit(hers, "/studio"), "/studio/control").fields;
      const own = formTo(await visit(mine, "/studio"), "/studio/control").fields["formToken"];
      const status = async (fields: Record<string, string | undefined>, headers = {}) =>
        (await submit(mine, form, fields, headers)).reply.status;
      expect(await status({})).toBe(400);
      expect(await status({ formToken })).toBe(400);
      expect(await status({ formToken: own }, { Origin: "https://evil.example" })).toBe(403);
    },
  );
});

describe("API keys in the studio", () => {
  test("a new API key has the scopes that were ticked, and is never shown again", async () => {
    const key = await makeApiKey(mine);
    const { body } = await me({ key });
    expect((body as { data: { scopes: string[] } }).data.scopes.sort()).toEqual(["read:donations", "write:alerts", "write:donations"]);
    expect((await visit(mine, "/studio/keys")).reply.text).not.toContain(key);
  });

  test("an API key is refused as soon as the studio says that it is revoked", async () => {
    const key = await makeApiKey(mine);
    expect((await me({ key })).status).toBe(200);
    const form = (await visit(mine, "/studio/keys")).forms.find(({ action }) => action.endsWith("/revoke"));
    await submit(mine, form as Form);
    expectProblem(await me({ key }), 401, "token_revoked");
  });

  test("another streamer's API key is neither shown nor can it be revoked", async () => {
    const key = await makeApiKey(hers);
    await makeApiKey(mine);
    const [theirs, own] = await Promise.all([hers, mine].map((visitor) => visit(visitor, "/studio/keys")));
    const ids = ({ forms }: Page) => forms.flatMap(({ fields }) => fields["key"] ?? []);
    const [foreign = ""] = ids(theirs as Page);
    expect(ids(own as Page)).not.toContain(foreign);
    const answer = await submit(mine, formTo(own as Page, "/studio/keys/revoke"), { key: foreign });
    expect(answer.path).toBe("/studio/keys?note=no-key");
    expect((await me({ key })).status).toBe(200);
  });
});

describe("overlay keys in the studio", () => {
  /** The form that revokes the key, of which the page shows the public part. */
  const revocationOf = async (visitor: Visitor, key: string): Promise<Form> => {
    const page = await visit(visitor, "/studio/overlay");
    const shown = [...page.reply.text.matchAll(/<code>(\w+)…<\/code>/g)].map(([, text]) => text ?? "");
    const forms = page.forms.filter(({ action }) => action.endsWith("/overlay/revoke"));
    return forms[shown.findIndex((text) => key.startsWith(text))] as Form;
  };

  test("a further overlay key leaves the others good, and each is refused as soon as the studio says that it is revoked", async () => {
    const [first, second] = [await makeOverlayKey(mine), await makeOverlayKey(mine)];
    for (const key of [first, second]) expectProblem(await stream(key), 404, "speech_not_found");
    await submit(mine, await revocationOf(mine, first));
    expectProblem(await stream(first), 401, "token_revoked");
    expectProblem(await stream(second), 404, "speech_not_found");
  });

  test("a form for an overlay key that is sent again creates no other one: the new links stay valid", async () => {
    const form = formTo(await visit(mine, "/studio/overlay"), "/studio/overlay");
    const key = shownKey(await submit(mine, form, { name: "Sent twice" }));
    const { reply } = await submit(mine, form, { name: "Sent again" });
    expect(reply.text).toContain("still work");
    expect(reply.text).not.toContain("Sent again");
    expectProblem(await stream(key), 404, "speech_not_found");
  });

  test("another streamer's overlay key is neither shown nor can it be revoked", async () => {
    const key = await makeOverlayKey(hers);
    const own = await makeOverlayKey(mine);
    const foreign = await revocationOf(hers, key);
    const form = await revocationOf(mine, own);
    expect((await visit(mine, "/studio/overlay")).reply.text).not.toContain(foreign.fields["key"]);
    const answer = await submit(mine, form, { key: foreign.fields["key"] ?? "" });
    expect(answer.path).toBe("/studio/overlay?note=no-key");
    expectProblem(await stream(key), 404, "speech_not_found");
  });
});

describe("settings of a widget in the studio", () => {
  const setUp = "/studio/overlay/widget";
  const widgetOf = async (page: OverlayPage) => (await page.next("snapshot")).widget;

  /** A new key with a widget, and the form that changes its settings. */
  const makeWidget = async (visitor: Visitor, values: Record<string, string>): Promise<{ key: string; form: Form; link: string }> => {
    const form = formTo(await visit(visitor, `${setUp}?kind=${values["kind"]}`), setUp);
    const made = await submit(visitor, form, { name: `Widget ${overlayKeys++}`, ...values });
    const key = shownKey(made);
    const [, link = ""] = /value="([^"#]*)#namjai_o1_/.exec(made.reply.text) ?? [];
    return { key, form: await settingsOf(visitor), link: new URL(link).pathname + new URL(link).search };
  };

  /** The form of the newest widget: keys are listed newest first. */
  const settingsOf = async (visitor: Visitor): Promise<Form> => {
    const { reply } = await visit(visitor, "/studio/overlay");
    const [, query = ""] = /href="\/studio\/overlay\/widget\/settings\?([^"]*)"/.exec(reply.text) ?? [];
    return formTo(await visit(visitor, `${setUp}/settings?${query}`), `${setUp}/settings`);
  };

  test("what is saved for a widget reaches the open pages of its key within seconds, and those of no other key", async () => {
    const { key, form, link } = await makeWidget(mine, { kind: "top", count: "3", lang: "th", title: "ก & ข" });
    expect(link, "the link has no settings of its own").toBe("/overlay/top");
    const [widget, other] = [await follow({ key, plays: false }), await follow({ key: await makeOverlayKey(mine), plays: false })];
    const first = await widgetOf(widget);
    expect(first?.kind).toBe("top");
    expect(Object.fromEntries(new URLSearchParams(first?.query))).toEqual({ count: "3", title: "ก & ข" });
    expect(await widgetOf(other)).toBeNull();
    const began = Date.now();
    const { path } = await submit(mine, form, { count: "5", period: "week", lang: "en", title: "" });
    expect(path).toMatch(/note=widget-saved$/);
    const { widget: next } = await widget.next("settings");
    expect(Date.now() - began, "ms").toBeLessThan(5_000);
    expect(Object.fromEntries(new URLSearchParams(next?.query))).toEqual({ period: "week", lang: "en" });
    await other.expectNothing("settings");
    expect((await widgetOf(await follow({ key, plays: false })))?.query).toBe(next?.query);
  });

  test("a form whose page is older than the stored settings of the widget changes nothing until it is sent again", async () => {
    const { key, form } = await makeWidget(mine, { kind: "total", lang: "th" });
    await submit(mine, form, { span: "today", lang: "th" });
    const refused = await submit(mine, form, { span: "month", lang: "th" });
    expect(refused.reply.status).toBe(409);
    const page = await follow({ key, plays: false });
    expect((await widgetOf(page))?.query).toBe("span=today");
    await submit(mine, formTo(refused, `${setUp}/settings`), { span: "month", lang: "th" });
    expect((await page.next("settings")).widget?.query).toBe("span=month");
  });

  test("another streamer's widget is neither shown nor can its settings be changed", async () => {
    const { key, form } = await makeWidget(hers, { kind: "top", count: "3", lang: "th" });
    const { formToken } = (await makeWidget(mine, { kind: "top", lang: "th" })).form.fields;
    const id = form.fields["key"] ?? "";
    expect((await visit(mine, `${setUp}/settings?key=${id}`)).path).toBe("/studio/overlay?note=no-key");
    expect((await submit(mine, form, { formToken, count: "9" })).path).toBe("/studio/overlay?note=no-key");
    expect((await widgetOf(await follow({ key, plays: false })))?.query).toBe("count=3");
  });
});

describe("alerts in the studio", () => {
  test("another streamer's donation is neither shown nor replayed in the studio", async () => {
    const { id } = recorded(await create(donation({ donatorName: "Hers alone" }), { key: await makeApiKey(hers) }));
    expect((await visit(hers, "/studio")).reply.text).toContain("Hers alone");
    const page = await visit(mine, "/studio");
    expect(page.reply.text).not.toContain("Hers alone");
    expect((await submit(mine, formTo(page, "/studio/replay"), { donation: id })).path).toBe("/studio?note=no-donation");
  });

  test("a test alert from the studio waits in the queue, and appears in no list", async () => {
    const key = await makeApiKey(mine);
    const form = formTo(await visit(mine, "/studio"), "/studio/test");
    const answer = await submit(mine, form, { donatorName: "ทดสอบ <b>", amount: "1,234.5", message: "" });
    expect(answer.reply.text).toContain("ทดสอบ &lt;b&gt;");
    expect(answer.reply.text).toContain("฿1,234.5");
    const { body } = await send({ path: "/api/v1/donations?source=test&source=external", key });
    expect((body as { data: object[] }).data).toMatchObject([{ donatorName: "ทดสอบ <b>", amount: 1234.5, message: "", source: "test" }]);
  });

  test("settings that break the contract are refused beside their fields, and change nothing", async () => {
    const form = formTo(await visit(mine, "/studio/settings"), "/studio/settings");
    const wrong = { volume: "101", minimumSeconds: "x", blockedWords: `ok\n${"ก".repeat(51)}` };
    const { reply } = await submit(mine, form, wrong);
    expect(reply.status).toBe(400);
    for (const field of ["volume", "minimumSeconds", "blockedWords"]) expect(reply.text).toContain(`id="field-${field}-fault"`);
    expect((await visit(mine, "/studio/settings")).reply.text).toMatch(/name="volume"[^>]* value="80"/);
  });
});
