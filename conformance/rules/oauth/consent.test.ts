import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { type Form, formTo, newVisitor, type Page, submit, type Visitor, visit } from "../../harness/client/page-visitor.ts";
import { approve, authorizationPath, decide, loggedIn, logIn, loginOf, newLogin } from "../../harness/oauth/authorization.ts";
import { clientOf, exchange, needsClients, tokensOf } from "../../harness/oauth/oauth-client.ts";
import { scopes } from "../../harness/oracle/scopes.ts";
import { target } from "../../harness/server/target.ts";

beforeEach(needsClients);

const path = (parameters = {}): string => authorizationPath(clientOf("confidential"), parameters);

/** Expects a refusal without effect: no redirect out of the server, no cookie. */
function expectRefused({ reply, location }: Page): void {
  expect(reply.status, reply.text).toBeOneOf([400, 403]);
  expect(location).toBeNull();
}

const foreignOrigins: [string, Record<string, string>][] = [
  ["another site", { Origin: "https://evil.example" }],
  ["another port", { Origin: "http://127.0.0.1:1" }],
  ["another scheme", { Origin: "https://127.0.0.1" }],
  ["a site that only begins like ours", { Origin: "ORIGIN.evil.example" }],
  ["null", { Origin: "null" }],
  ["an empty one", { Origin: "" }],
  ["a word", { Origin: "x" }],
];
const withOurs = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace("ORIGIN", new URL(target().url).origin)]));

/** Matches the text as a page shows it. */
function asHtml(text: string): RegExp {
  const forms: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': '(&quot;|&#34;|")', "'": "(&#39;|&#x27;|&apos;|')" };
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]|[&<>"']/g, (one) => forms[one] ?? `\\${one}`));
}

describe("the consent page", () => {
  test("the consent page names the application, its redirect host and the scopes, in Thai and English", async () => {
    const { reply } = await visit(await loggedIn(), path({ scope: "write:donations" }));
    expect(reply.status).toBe(200);
    expect(reply.text).toContain("client.example");
    expect(reply.text).toMatch(asHtml(clientOf("confidential").name));
    expect(reply.text).toMatch(/[\u0e00-\u0e7f]{10,}/);
    expect(reply.text).toMatch(/donation/i);
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
    expect(text).toMatch(/<html[^>]* lang="th"/);
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

describe("the login", () => {
  test("the login leads to the consent page of the same request", async () => {
    const visitor = newVisitor();
    const page = await visit(visitor, path({ state: "สวัสดี" }));
    expect(page.forms.some(({ action }) => action === "/oauth/consent")).toBe(false);
    const { location } = await decide(visitor, await logIn(visitor, page), "approve");
    expect(location?.searchParams.get("state")).toBe("สวัสดี");
  });

  test("the login answers a wrong password and an unknown handle alike, and starts no session", async () => {
    const texts = [];
    for (const [handle, password] of [
      [loginOf("main").handle, "wrong"],
      [loginOf("main").handle, ""],
      [loginOf("main").handle, `${loginOf("main").password} `],
      ["nobody", "wrong"],
      [loginOf("main").handle, loginOf("other").password],
      ["' or '1'='1", "' or '1'='1"],
      ["\u0000", "\u0000"],
      [loginOf("main").handle, "x".repeat(10_000)],
    ]) {
      const visitor = newVisitor();
      const { reply, location } = await submit(visitor, formTo(await visit(visitor, path()), "/oauth/login"), { handle, password });
      expect([reply.status, location], reply.text).toEqual([expect.toBeOneOf([400, 403]), null]);
      texts.push(reply.text.replace(/value="[^"]*"/g, ""));
      expect((await visit(visitor, "/oauth/connections")).forms.some(({ action }) => action === "/oauth/login")).toBe(true);
    }
    expect(new Set(texts.slice(3, 5).map((text) => text.replace(/ ?autofocus/g, ""))).size).toBe(1);
  });

  test("the login never shows the password again", async () => {
    const visitor = newVisitor();
    const password = `wrong ${randomUUID()}`;
    const { reply } = await submit(visitor, formTo(await visit(visitor, path()), "/oauth/login"), {
      handle: loginOf("main").handle,
      password,
    });
    expect(reply.text).not.toContain(password);
  });

  test("the login starts a new session: the cookie from before is worthless (session fixation)", async () => {
    const [visitor, attacker] = [newVisitor(), newVisitor()];
    const page = await visit(visitor, path());
    for (const [name, cookie] of visitor.cookies) attacker.cookies.set(name, cookie);
    const before = [...visitor.cookies.values()].map(({ value }) => value);
    await logIn(visitor, page);
    const after = [...visitor.cookies.values()].map(({ value }) => value);
    expect(after.filter((value) => !before.includes(value)).length).toBeGreaterThan(0);
    expect((await visit(attacker, "/oauth/connections")).forms.map(({ action }) => action)).toEqual(["/oauth/login"]);
  });

  test("the login accepts no session that a stranger made up", async () => {
    const victim = newVisitor();
    await visit(victim, path());
    const made = "A".repeat(43);
    for (const [name, cookie] of victim.cookies) victim.cookies.set(name, { ...cookie, value: made });
    const page = await visit(victim, path());
    await logIn(victim, page);
    expect([...victim.cookies.values()].map(({ value }) => value)).not.toContain(made);
  });

  test.each(foreignOrigins)("a login sent from %s is refused (login CSRF)", async (_, headers) => {
    const visitor = newVisitor();
    const form = formTo(await visit(visitor, path()), "/oauth/login");
    expectRefused(await submit(visitor, form, loginOf("main"), withOurs(headers)));
  });

  test("a login without the form of this browser is refused (login CSRF)", async () => {
    const visitor = newVisitor();
    const values = loginOf("main");
    const form = formTo(await visit(visitor, path()), "/oauth/login");
    const foreign = formTo(await visit(newVisitor(), path()), "/oauth/login");
    for (const fields of [{}, foreign.fields]) expectRefused(await submit(visitor, { ...form, fields }, values));
    expectRefused(await submit(newVisitor(), form, values));
  });

  test("the login redirects only to pages of the server: no open redirect", async () => {
    const values = loginOf("main");
    for (const evil of ["https://evil.example/", "//evil.example/", "/\\evil.example/", "javascript:alert(1)"]) {
      const names = ["to", "next", "return_to", "redirect", "redirect_uri", "continue", "url"];
      const added = Object.fromEntries(names.map((name) => [name, evil]));
      const visitor = newVisitor();
      const page = await visit(visitor, `/oauth/login?${new URLSearchParams(added)}`);
      expect(page.reply.text).not.toContain(evil);
      const { location, reply } = await submit(visitor, formTo(page, "/oauth/login"), { ...added, ...values });
      expect([location, reply.status]).toEqual([null, 200]);
      expect((await visit(visitor, `/oauth/login?${new URLSearchParams(added)}`)).location).toBeNull();
    }
  });
});

describe("the session cookie", () => {
  test("the session cookie is HttpOnly and SameSite, for the whole host, and for no other", async () => {
    const visitor = await newLogin();
    const lines = [...visitor.cookies.values()].map(({ line }) => line);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/; *HttpOnly/i);
      expect(line).toMatch(/; *SameSite=(Lax|Strict)/i);
      expect(line).not.toMatch(/; *Domain=/i);
      if (target().url.startsWith("https:")) expect(line).toMatch(/; *Secure/i);
    }
  });

  test("the session cookie is a secret that cannot be guessed", async () => {
    const [first, second] = [await newLogin(), await newLogin()];
    for (const [name, { value }] of first.cookies) {
      expect(value.length).toBeGreaterThanOrEqual(22);
      expect(second.cookies.get(name)?.value).not.toBe(value);
    }
  });

  test("the session cookie is worthless after the logout", async () => {
    const visitor = await newLogin();
    const stolen = new Map(visitor.cookies);
    await submit(visitor, formTo(await visit(visitor, "/oauth/connections"), "/oauth/logout"));
    for (const cookies of [visitor.cookies, stolen]) {
      const { forms } = await visit({ ...visitor, cookies }, "/oauth/connections");
      expect(forms.map(({ action }) => action)).toEqual(["/oauth/login"]);
    }
  });

  test("the session cookie is no credential of the API, and the API's credentials open no pages", async () => {
    const visitor = newVisitor();
    const { forms } = await visit(visitor, "/oauth/connections", { Authorization: `Bearer ${target().keys.main}` });
    expect(forms.map(({ action }) => action)).toEqual(["/oauth/login"]);
  });
});

test("a second approval in the same browser needs no second login", async () => {
  const visitor = await newLogin();
  for (let count = 0; count < 2; count += 1) expect((await approve(path(), visitor)).searchParams.has("code")).toBe(true);
});
