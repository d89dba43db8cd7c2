import { expect, test } from "vitest";
import { cursorCodec } from "../http/cursor.ts";
import { transactionSealer } from "./form-tokens.ts";
import type { Session } from "./sessions.ts";

let now = 0;
const transactions = transactionSealer(cursorCodec(Buffer.alloc(32, 1)), () => now);
const session = (key: string): Session => ({ key, streamer: null, cookies: [] });
const content = { to: "/oauth/connections" };

test("opens for its kind and its session", () => {
  expect(transactions.open("logout", session("a"), transactions.seal("logout", session("a"), content))?.content).toEqual(content);
});

test.each([
  ["another session's", () => transactions.open("logout", session("b"), transactions.seal("logout", session("a"), content))],
  ["another kind's", () => transactions.open("consent", session("a"), transactions.seal("logout", session("a"), content))],
  ["a missing one", () => transactions.open("logout", session("a"), null)],
  ["an empty one", () => transactions.open("logout", session("a"), "")],
  ["another key's", () => transactions.open("logout", session("a"), other.seal("logout", session("a"), content))],
  ["a changed one", () => transactions.open("logout", session("a"), `${transactions.seal("logout", session("a"), content)}A`)],
])("does not open %s", (_title, open) => expect(open()).toBeNull());

const other = transactionSealer(cursorCodec(Buffer.alloc(32, 2)), () => now);

test("a consent or login form is good for ten minutes, the others for twelve hours", () => {
  const login = { to: "/", application: null, formAction: [] };
  const sealed = transactions.seal("login", session("a"), login);
  const logout = transactions.seal("logout", session("a"), content);
  now = 10 * 60_000 - 1;
  expect(transactions.open("login", session("a"), sealed)).not.toBeNull();
  now += 1;
  expect(transactions.open("login", session("a"), sealed)).toBeNull();
  expect(transactions.open("logout", session("a"), logout)).not.toBeNull();
  now = 12 * 60 * 60_000;
  expect(transactions.open("logout", session("a"), logout)).toBeNull();
});
