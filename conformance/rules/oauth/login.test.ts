import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { approve, authorizationPath, decide, logIn, loginOf, newLogin } from "../../suite/client/oauth/authorization.ts";
import { clientOf, needsClients } from "../../suite/client/oauth/oauth-client.ts";
import { expectRefused, foreignOrigins, formTo, newVisitor, submit, visit, withOurs } from "../../suite/client/page-visitor.ts";
import { target } from "../../suite/values/target.ts";

beforeEach(needsClients);

const path = (parameters = {}): string => authorizationPath(clientOf("confidential"), parameters);

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
