import { beforeEach, expect, test } from "vitest";
import { needsClients } from "../../suite/client/oauth/oauth-client.ts";
import { formTo, languagePath, newStreamer, newVisitor, submit, visit } from "../../suite/client/page-visitor.ts";
import { operatorOf } from "../../suite/values/target.ts";

/** The letters of Thai, without the sign ฿. */
const thai = /[\u0E01-\u0E3A\u0E40-\u0E5B]/;
const choose = (language: string, back: string) => ({ action: languagePath, fields: { language, back }, buttons: [] });

beforeEach(needsClients);

test("a page is written in the language that the browser prefers, and names it", async () => {
  const { reply: english } = await visit(newVisitor(), "/oauth/login", { "Accept-Language": "en-GB,en;q=0.9,th;q=0.5" });
  expect(english.text).toContain('<html lang="en">');
  expect(english.text).toContain("<title>Log in");
  const { reply } = await visit(newVisitor(), "/oauth/login", { "Accept-Language": "th-TH,en;q=0.5" });
  expect(reply.text).toContain('<html lang="th">');
  expect(reply.text).not.toContain("Log in");
});

test("the language that the switch has chosen stays through login and pages, whatever the browser prefers", async (context) => {
  const visitor = newVisitor();
  const login = await newStreamer(operatorOf(context));
  const page = await submit(visitor, choose("th", "/oauth/login?to=/studio/money"));
  expect(page.path).toBe("/oauth/login?to=/studio/money");
  const { path, reply } = await submit(visitor, formTo(page, "/oauth/login"), login);
  expect(path).toBe("/studio/money");
  expect(reply.text).toContain('<html lang="th">');
  const back = await submit(visitor, choose("en", "/studio/money?span=90"));
  expect(back.path).toBe("/studio/money?span=90");
  expect(back.reply.text).toContain('<html lang="en">');
  expect(back.reply.text.replace(/<form class="language".*?<\/form>/s, "")).not.toMatch(thai);
});

test("answers that differ by language say so to caches, which keep none of them", async () => {
  const { headers } = (await visit(newVisitor(), "/oauth/login")).reply;
  expect(headers.vary).toMatch(/Cookie.*Accept-Language/);
  expect(headers["cache-control"]).toContain("no-store");
});

test.each(["https://evil.example/", "//evil.example/", "/\\evil.example/"])(
  "the language switch never leads to another site, such as %s (no open redirect)",
  async (back) => {
    const { location, path } = await submit(newVisitor(), choose("en", back));
    expect([location, path]).toEqual([null, expect.stringMatching(/^\/(studio|oauth\/login)/)]);
  },
);

test("the language switch does nothing for a form of another site (CSRF)", async () => {
  const { reply } = await submit(newVisitor(), choose("en", "/"), {}, { Origin: "https://evil.example" });
  expect(reply.status).toBe(400);
  expect(reply.headers["set-cookie"]).toBeUndefined();
});
