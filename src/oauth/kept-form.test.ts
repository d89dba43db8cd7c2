import { afterAll, beforeAll, expect, test } from "vitest";
import { writeFor } from "../ui/reader.ts";
import { makeAccounts } from "./accounts/accounts.ts";
import { keepForm, readKeptForm } from "./kept-form.ts";
import { type OAuthPagesFixture, openOAuthPagesFixture, password } from "./testing-pages.ts";

let fixture: OAuthPagesFixture;

beforeAll(async () => void (fixture = await openOAuthPagesFixture()));
afterAll(async () => fixture?.close());

const fields = { formToken: "of another session", volume: "40", "goal.title": `"><b>ไมค์`, blockedWords: "a\nb" };
const posted = (form: Record<string, string>, path = "/studio/settings") => keepForm({ path, form: new URLSearchParams(form) });

test("a kept form has every field but its form token", () => {
  const { formToken: _, ...others } = fields;
  expect(posted(fields)).toEqual({ action: "/studio/settings", fields: Object.entries(others) });
});

test.each([
  ["without a form token, which no page of ours has made", { volume: "40" }, "/studio/settings"],
  ["with passwords", { formToken: "x", current: "a", next: "b", repeated: "b" }, "/studio/account/password"],
  ["that is very long, such as one with a file", { formToken: "x", file: "A".repeat(20_000) }, "/studio/import/check"],
  ["of a page outside of the studio", { formToken: "x" }, "/oauth/connections/disconnect"],
])("a form %s is not kept", (_title, form, path) => expect(posted(form as Record<string, string>, path)).toBeNull());

test.each([
  "",
  "{",
  "null",
  "[]",
  `{"action":"https://evil.example/","fields":[]}`,
  `{"action":"//evil.example/studio","fields":[]}`,
  `{"action":"/studio/../oauth/consent","fields":[]}`,
  `{"action":"/studio","fields":[["a",1]]}`,
  `{"action":"/studio","fields":[["a"]]}`,
  `{"action":"/studio","fields":"a"}`,
])("a hidden field that is no kept form is ignored: %s", (text) => expect(readKeptForm(text)).toBeNull());

test("a form whose session has ended is sent again after a login, with everything that was typed in", async () => {
  const saved: string[][] = [];
  const save = makeAccounts(fixture.pages).form("/studio/settings", async ({ account, form }) => {
    saved.push([account.streamer.handle, form.get("volume") ?? "", form.get("goal.title") ?? ""]);
    return { status: 303, location: "/studio/settings?note=saved" };
  });
  const browser = await fixture.loggedIn();
  const cookie = () => [...browser.jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const post = (form: Record<string, string>) =>
    writeFor({ language: "en" }, () =>
      save({
        path: "/studio/settings",
        query: new URLSearchParams(),
        form: new URLSearchParams(form),
        caller: { authorization: undefined, cookie: cookie(), origin: undefined, host: undefined, address: "192.0.2.1" },
      }),
    );
  await fixture.pages.sessions.end(await fixture.pages.sessions.open(cookie()));
  const { status, html = "" } = await post(fields);
  expect(status).toBe(400);
  expect(html).toContain("You have been logged out");
  const hidden = (text: string, name: string) =>
    (new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "").replace(
      /&(quot|lt|gt|amp);/g,
      (_, entity: string) => entities[entity] ?? "",
    );
  const login = { formToken: hidden(html, "formToken"), kept: hidden(html, "kept"), handle: "somchai" };
  const wrong = await browser.send("/oauth/login", { ...login, password: "a wrong one" });
  expect(hidden(wrong.html, "kept"), "kept through a wrong password").toBe(login.kept);
  const again = await browser.send("/oauth/login", { ...login, password });
  expect(again).toMatchObject({ status: 200, location: "" });
  expect(again.html).toContain('action="/studio/settings"');
  expect(saved, "nothing is sent by itself").toEqual([]);
  const answer = await post({
    formToken: hidden(again.html, "formToken"),
    volume: hidden(again.html, "volume"),
    "goal.title": hidden(again.html, "goal.title"),
  });
  expect([answer.location, saved]).toEqual(["/studio/settings?note=saved", [["somchai", "40", `"><b>ไมค์`]]]);
});

const entities: Record<string, string> = { quot: '"', lt: "<", gt: ">", amp: "&" };

test("a form of an earlier session is sent again without a login while somebody is logged in, and only by a button", async () => {
  const browser = await fixture.loggedIn();
  const form = makeAccounts(fixture.pages).form("/studio/settings", async () => {
    throw new Error("handled");
  });
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const caller = { authorization: undefined, cookie, origin: undefined, host: undefined, address: "192.0.2.1" };
  const request = { path: "/studio/settings", query: new URLSearchParams(), form: new URLSearchParams(fields), caller };
  const { status, html } = await form(request);
  expect(status).toBe(400);
  expect(html).toContain('name="volume" value="40"');
  expect((await form({ ...request, caller: { ...caller, origin: "https://evil.example" } })).status).toBe(403);
});
