import { beforeEach, expect, test } from "vitest";
import { needsClients } from "../../suite/client/oauth/oauth-client.ts";
import { formTo, newStreamer, newVisitor, submit, type Visitor, visit } from "../../suite/client/page-visitor.ts";
import { remember } from "../../suite/values/redact.ts";
import { type Login, operatorOf } from "../../suite/values/target.ts";

const path = "/studio/account";

let login: Login;
let visitor: Visitor;

const logIn = async (as: Login): Promise<Visitor> => {
  const fresh = newVisitor();
  await submit(fresh, formTo(await visit(fresh, path), "/oauth/login"), as);
  return fresh;
};

const isLoggedIn = async (one: Visitor) => (await visit(one, path)).path === path;

beforeEach(needsClients);
beforeEach(async (context) => {
  login = await newStreamer(operatorOf(context));
  visitor = await logIn(login);
});

test("a streamer who changes the password stays logged in here, is logged out elsewhere, and logs in with the new one alone", async () => {
  const other = await logIn(login);
  const next = `ใหม่ ${login.password}`;
  remember(next);
  const form = formTo(await visit(visitor, path), `${path}/password`);
  const changed = await submit(visitor, form, { current: login.password, next, repeated: next });
  expect(changed.path).toBe(`${path}?note=password-changed`);
  expect([await isLoggedIn(visitor), await isLoggedIn(other)]).toEqual([true, false]);
  expect(await isLoggedIn(await logIn(login))).toBe(false);
  expect(await isLoggedIn(await logIn({ ...login, password: next }))).toBe(true);
});

test("a change of the password without the old one is refused, and changes nothing", async () => {
  const other = await logIn(login);
  const form = formTo(await visit(visitor, path), `${path}/password`);
  const { reply } = await submit(visitor, form, { current: "a wrong guess", next: "something else", repeated: "something else" });
  expect([reply.status, reply.text.includes('id="field-current-fault"')]).toEqual([403, true]);
  expect(await isLoggedIn(other)).toBe(true);
});

test("logging out everywhere ends the sessions of this streamer in every browser, and of no other streamer", async (context) => {
  const [second, hers] = [await logIn(login), await logIn(await newStreamer(operatorOf(context)))];
  expect((await visit(visitor, path)).reply.text.match(/>Last used /g)).toHaveLength(2);
  await submit(visitor, formTo(await visit(visitor, path), `${path}/sessions`));
  expect([await isLoggedIn(visitor), await isLoggedIn(second), await isLoggedIn(hers)]).toEqual([false, false, true]);
});

test("the saved language and time zone are those of the studio in a browser that chose no language", async () => {
  const form = formTo(await visit(visitor, path), `${path}/preferences`);
  await submit(visitor, form, { timeZone: "Pacific/Kiritimati", preferred: "th" });
  const fresh = await logIn(login);
  const { text } = (await visit(fresh, path)).reply;
  expect(text).toContain('<html lang="th">');
  expect(text).toContain('value="Pacific/Kiritimati" selected');
});
