import { beforeEach, describe, expect, test } from "vitest";

import { expectProblem, me } from "../../suite/client/api.ts";
import { loggedIn, newLogin } from "../../suite/client/oauth/authorization.ts";
import { clientOf, exchange, expectError, needsClients, newCode, newGrant, refresh } from "../../suite/client/oauth/oauth-client.ts";
import { addClient } from "../../suite/client/operator.ts";
import { type Form, newVisitor, type Page, submit, visit } from "../../suite/client/page-visitor.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { remember } from "../../suite/values/redact.ts";
import { type Client, operatorOf } from "../../suite/values/target.ts";

beforeEach(needsClients);

const path = "/oauth/connections";

/** The form that disconnects this client; undefined where it is not shown. */
const formOf = ({ forms }: Page, { id }: Client): Form | undefined =>
  forms.find(
    ({ action, fields, buttons }) =>
      action === `${path}/disconnect` && [...Object.values(fields), ...buttons.map(({ value }) => value)].includes(id),
  );

test("the page of connected applications asks a stranger to log in", async () => {
  const { forms, reply } = await visit(newVisitor(), path);
  expect([reply.status, ...forms.map(({ action }) => action)]).toEqual([200, "/oauth/login"]);
});

describe("connected applications", () => {
  test("disconnecting an application ends all of its grants and no others, also one whose code is not exchanged yet", async (context) => {
    fullOnly(context, "it waits for the operator's command line");
    const client = await addClient(operatorOf(context), {
      name: "เชื่อม <i>Connected</i>",
      redirectUris: ["https://client.example/callback"],
      scopes: "read:donations",
    });
    remember(client.secret);
    const visitor = await loggedIn();
    await newCode(client);
    expect(formOf(await visit(visitor, path), client), "approved, but never used").toBeUndefined();

    const [first, second, others] = [await newGrant(client), await newGrant(client), await newGrant(client, { handle: "other" })];
    const stranger = await newGrant(clientOf("confidential"));
    const unused = await newCode(client);
    const page = await visit(visitor, path);
    expect(page.reply.text).toContain("เชื่อม &lt;i&gt;Connected&lt;/i&gt;");
    const form = formOf(page, client);
    if (!form) throw new Error(`not shown: ${page.reply.text}`);

    expect((await submit(visitor, form)).reply.status).toBe(200);
    for (const { access_token, refresh_token } of [first, second]) {
      expectProblem(await me({ key: access_token }), 401, "token_revoked");
      expectError(await refresh(client, refresh_token), "invalid_grant");
    }
    expectError(await exchange(client, unused), "invalid_grant");
    for (const { access_token } of [others, stranger]) expect((await me({ key: access_token })).status).toBe(200);
    expect(formOf(await visit(visitor, path), client)).toBeUndefined();
  });

  test("no other site, browser or streamer can disconnect an application", async () => {
    const client = clientOf("second");
    const { access_token } = await newGrant(client);
    const form = formOf(await visit(await loggedIn(), path), client);
    if (!form) throw new Error("not shown");
    const attempts = [
      submit(await loggedIn(), form, {}, { Origin: "https://evil.example" }),
      submit(await loggedIn(), form, {}, { Origin: "null" }),
      submit(await loggedIn("other"), form),
      submit(newVisitor(), form),
      submit(await newLogin(), form),
      submit(await loggedIn(), { ...form, fields: { ...form.fields, formToken: "x" } }),
    ];
    for (const { reply } of await Promise.all(attempts)) expect(reply.status, reply.text).toBeOneOf([400, 403]);
    expect((await me({ key: access_token })).status).toBe(200);
  });

  test("another streamer's own form disconnects nothing of this streamer", async () => {
    const client = clientOf("second");
    const { access_token } = await newGrant(client);
    const others = await loggedIn("other");
    await newGrant(client, { handle: "other" });
    const form = formOf(await visit(others, path), client);
    if (!form) throw new Error("not shown");
    await submit(others, form);
    expect((await me({ key: access_token })).status).toBe(200);
  });
});

test("the page of connected applications may not be embedded, stored or read from another site", async () => {
  const { reply } = await visit(await loggedIn(), path, { Origin: "https://evil.example" });
  expect(reply.status).toBe(200);
  expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
});

test("a form to disconnect that was sent twice takes effect once", async () => {
  const client = clientOf("second");
  await newGrant(client);
  const visitor = await loggedIn();
  const form = formOf(await visit(visitor, path), client);
  if (!form) throw new Error("not shown");
  for (let count = 0; count < 2; count += 1) expect((await submit(visitor, form)).reply.status).toBe(200);
});
