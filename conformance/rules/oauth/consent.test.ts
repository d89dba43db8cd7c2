import { beforeEach, describe, expect, test } from "vitest";
import { authorizationPath, loggedIn, newLogin } from "../../suite/client/oauth/authorization.ts";
import { clientOf, exchange, needsClients, tokensOf } from "../../suite/client/oauth/oauth-client.ts";
import {
  expectRefused,
  type Form,
  foreignOrigins,
  formTo,
  newVisitor,
  type Page,
  submit,
  type Visitor,
  visit,
  withOurs,
} from "../../suite/client/page-visitor.ts";
import { scopes } from "../../suite/contract/scopes.ts";

beforeEach(needsClients);

const path = (parameters = {}): string => authorizationPath(clientOf("confidential"), parameters);

/** Matches the text as a page shows it. */
function asHtml(text: string): RegExp {
  const forms: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': '(&quot;|&#34;|")', "'": "(&#39;|&#x27;|&apos;|')" };
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]|[&<>"']/g, (one) => forms[one] ?? `\\${one}`));
}

describe("the consent page", () => {
  test("the consent page names the application, its redirect host and the scopes, in Thai or English as the browser prefers", async () => {
    const [thai, english] = [/[\u0e00-\u0e7f]{10,}/, />[^<]*donation/i];
    for (const [language, mine, other] of [
      ["th", thai, english],
      ["en", english, thai],
    ] as const) {
      const { reply } = await visit(await loggedIn(), path({ scope: "write:donations" }), { "Accept-Language": language });
      expect(reply.status).toBe(200);
      expect(reply.text).toContain("client.example");
      expect(reply.text).toMatch(asHtml(clientOf("confidential").name));
      const shown = reply.text.replace(/<style.*?<\/style>/gs, ""); // its selectors are in English
      expect(shown).toMatch(mine);
      expect(shown).not.toMatch(other);
    }
  });

  test("the consent page describes other scopes differently", async () => {
    const visitor = await loggedIn();
    const texts = [];
    for (const scope of scopes) texts.push((await visit(visitor, path({ scope }))).reply.text.replace(/value="[^"]*"/g, ""));
    expect(new Set(texts).size).toBe(scopes.length);
  });

  test("the consent page shows no text that the request made up", async () => {
    for (const value of ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
      for (const parameters of [{ state: value }, { client_id: value }, { redirect_uri: value }, { prompt: value }])
        expect((await visit(await loggedIn(), path(parameters))).reply.text).not.toContain(value);
  });

  test("the consent page has no inline script and no inline style", async () => {
    const { text } = (await visit(await loggedIn(), path())).reply;
    expect(text).not.toMatch(/<script|\son[a-z]+=|\sstyle=|javascript:/i);
  });

  test("the consent page cannot be read by other sites: no CORS", async () => {
    for (const visitor of [await loggedIn(), newVisitor()]) {
      const { reply } = await visit(visitor, path(), { Origin: "https://evil.example" });
      expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  test("the consent page has a language, a title and a viewport", async () => {
    const { text } = (await visit(await loggedIn(), path())).reply;
    expect(text).toMatch(/^<!doctype html>/i);
    expect(text).toMatch(/<html[^>]* lang="en"/);
    expect(text).toMatch(/<title>[^<]+<\/title>/);
    expect(text).toMatch(/name="viewport"/);
  });
});

describe("consent decisions", () => {
  const decided = async (change: (form: Form) => Form, headers: Record<string, string> = {}, visitor?: Visitor): Promise<Page> => {
    const browser = visitor ?? (await loggedIn());
    const form = formTo(await visit(await loggedIn(), path()), "/oauth/consent");
    return submit(browser, change(form), { decision: "approve" }, headers);
  };

  test("a decision sent as the page's form is accepted", async () =>
    expect((await decided((form) => form)).location?.searchParams.has("code")).toBe(true));

  test.each(foreignOrigins)("a decision sent from %s is refused", async (_, headers) =>
    expectRefused(await decided((form) => form, withOurs(headers))),
  );

  test("a decision is refused when any hidden field is missing or changed", async () => {
    const { fields } = formTo(await visit(await loggedIn(), path()), "/oauth/consent");
    expect(Object.keys(fields).length).toBeGreaterThan(0);
    for (const name of Object.keys(fields))
      for (const value of [undefined, "", "x", `${fields[name]}x`, fields[name]?.slice(0, -1), fields[name]?.toUpperCase()])
        expectRefused(await decided((form) => ({ ...form, fields: { ...form.fields, [name]: value } as Record<string, string> })));
  });

  test("a decision with a form made for another browser is refused", async () => {
    expectRefused(await decided((form) => form, {}, await newLogin("main")));
    expectRefused(await decided((form) => form, {}, await loggedIn("other")));
    expectRefused(await decided((form) => form, {}, newVisitor()));
  });

  test("a decision with the form of another page is refused", async () => {
    const visitor = await loggedIn();
    const page = await visit(visitor, "/oauth/connections");
    for (const { fields } of page.forms)
      expectRefused(await submit(visitor, { action: "/oauth/consent", fields, buttons: [] }, { decision: "approve" }));
  });

  test("a form with no decision, or an unknown one, approves nothing", async () => {
    for (const decision of [undefined, "", "yes", "APPROVE"]) {
      const form = formTo(await visit(await loggedIn(), path()), "/oauth/consent");
      expect((await submit(await loggedIn(), form, { decision })).location?.searchParams.has("code") ?? false).toBe(false);
    }
  });

  test("a decision with fields added to the form changes nothing that was shown", async () => {
    const added = {
      scope: "write:donations",
      redirect_uri: "https://evil.example/",
      client_id: clientOf("second").id,
      state: "evil",
      code_challenge: "x",
      streamer: "other",
      handle: "other",
    };
    const visitor = await loggedIn();
    const form = formTo(await visit(visitor, path({ scope: "read:donations" })), "/oauth/consent");
    const { location } = await submit(visitor, form, { ...added, decision: "approve" });
    expect([location?.origin, location?.searchParams.get("state")]).toEqual(["https://client.example", "xyz"]);
    const { scope } = tokensOf(await exchange(clientOf("confidential"), { code: String(location?.searchParams.get("code")) }));
    expect(scope).toBe("read:donations");
  });

  test("a decision with fields added to its address changes nothing that was shown", async () => {
    const visitor = await loggedIn();
    const form = formTo(await visit(visitor, path()), "/oauth/consent");
    const action = `${form.action}?redirect_uri=https://evil.example/&decision=approve`;
    const { location } = await submit(visitor, { ...form, action }, { decision: "deny" });
    expect([location?.origin, location?.searchParams.get("error")]).toEqual(["https://client.example", "access_denied"]);
  });

  test("a decision sent as GET is refused", async () => {
    const { fields } = formTo(await visit(await loggedIn(), path()), "/oauth/consent");
    const page = await visit(await loggedIn(), `/oauth/consent?${new URLSearchParams({ ...fields, decision: "approve" })}`);
    expect([page.reply.status, page.reply.headers.allow, page.location]).toEqual([405, "POST", null]);
  });

  test("a decision after the logout is refused", async () => {
    const visitor = await newLogin();
    const form = formTo(await visit(visitor, path()), "/oauth/consent");
    await submit(visitor, formTo(await visit(visitor, "/oauth/connections"), "/oauth/logout"));
    expectRefused(await submit(visitor, form, { decision: "approve" }));
  });
});
