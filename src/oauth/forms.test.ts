import { expect, test } from "vitest";
import { cursorCodec } from "../http/cursor.ts";
import type { Session } from "./accounts/sessions.ts";
import { formTokenSealer } from "./forms.ts";

let now = 0;
const formTokens = formTokenSealer(cursorCodec(Buffer.alloc(32, 1)), () => now);
const session = (key: string): Session => ({ key, streamer: null, timeZone: null, hasEnded: false, cookies: [] });
const content = { to: "/oauth/connections" };

test("a form token opens for its own kind and session", () => {
  expect(formTokens.open("logout", session("a"), formTokens.seal("logout", session("a"), content))?.content).toEqual(content);
});

test.each([
  ["a form token of another session", () => formTokens.open("logout", session("b"), formTokens.seal("logout", session("a"), content))],
  ["a form token of another kind", () => formTokens.open("consent", session("a"), formTokens.seal("logout", session("a"), content))],
  ["a missing form token", () => formTokens.open("logout", session("a"), null)],
  ["an empty form token", () => formTokens.open("logout", session("a"), "")],
  ["a form token sealed with another key", () => formTokens.open("logout", session("a"), other.seal("logout", session("a"), content))],
  ["a changed form token", () => formTokens.open("logout", session("a"), `${formTokens.seal("logout", session("a"), content)}A`)],
])("%s is refused", (_title, open) => expect(open()).toBeNull());

const other = formTokenSealer(cursorCodec(Buffer.alloc(32, 2)), () => now);

test("a form token for login or consent is valid for ten minutes, other form tokens for twelve hours", () => {
  const login = { to: "/", application: null, formAction: [] };
  const sealed = formTokens.seal("login", session("a"), login);
  const logout = formTokens.seal("logout", session("a"), content);
  now = 10 * 60_000 - 1;
  expect(formTokens.open("login", session("a"), sealed)).not.toBeNull();
  now += 1;
  expect(formTokens.open("login", session("a"), sealed)).toBeNull();
  expect(formTokens.open("logout", session("a"), logout)).not.toBeNull();
  now = 12 * 60 * 60_000;
  expect(formTokens.open("logout", session("a"), logout)).toBeNull();
});
