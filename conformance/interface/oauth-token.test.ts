import { describe, test } from "vitest";
import { type AnyClient, anyClient, existence, expectEndpoint, postAny, skipWithout } from "../suite/models/any-client.ts";
import { expectRefusal } from "../suite/models/verdicts.ts";
import { tried } from "../suite/values/score.ts";
import { target } from "../suite/values/target.ts";

// The interface names neither the members for code and refresh token nor any answer: the rules are that nothing made up is exchanged,
// and that no request makes the server fail.

const path = "/oauth/token";
const code = { grant_type: "authorization_code", code: "made-up", redirect_uri: "https://client.example/callback" };
const refresh = { grant_type: "refresh_token", refresh_token: "made-up" };
const stranger = { client_id: "made-up", client_secret: "made-up" };

/** A server may look at the client first: a request of one that exists gets further. Its code was never issued, so it is refused in any case. */
const senders = (): AnyClient[] => {
  const { client } = target();
  return client?.secret ? [stranger, { client_id: client.id, client_secret: client.secret }] : [stranger];
};

async function turnsDown(body: unknown): Promise<void> {
  expectRefusal(await postAny(path, typeof body === "string" ? body : JSON.stringify(body)), "of a code or token that was never issued");
}

describe("POST /oauth/token", () => {
  skipWithout(path);

  test("POST /oauth/token exists without a version in its path (interface 4.2, 9.2)", existence, async (context) => {
    tried("path");
    await expectEndpoint(context, path);
  });

  test.each([code, refresh])("POST /oauth/token refuses a client that was made up: $grant_type (interface 4.2, 5.4)", (grant) =>
    turnsDown({ ...grant, ...stranger }),
  );

  test.for([code, refresh])(
    "POST /oauth/token refuses a code or token that was never issued, to a client that exists: $grant_type (interface 4.2)",
    (grant, context) => turnsDown({ ...grant, ...anyClient(context) }),
  );

  test.for([code, refresh])("POST /oauth/token refuses a client with a wrong secret: $grant_type (interface 5.4)", (grant, context) =>
    turnsDown({ ...grant, ...anyClient(context), client_secret: "made-up" }),
  );

  test.each(["grant_type", "client_id", "client_secret"])(
    "POST /oauth/token refuses a %s that is no string (interface 4.2)",
    async (member) => {
      for (const sender of senders())
        for (const value of [null, 1, true, [], ["authorization_code"], {}]) await turnsDown({ ...code, ...sender, [member]: value });
    },
  );

  test.each(["grant_type", "client_id", "client_secret"])(
    "POST /oauth/token refuses a request without %s (interface 4.2, 5.4)",
    async (member) => {
      for (const sender of senders()) await turnsDown({ ...code, ...sender, [member]: undefined });
    },
  );

  test.each(["", "made-up", "AUTHORIZATION_CODE"])("POST /oauth/token refuses the grant_type %j (interface 4.2)", async (grant_type) => {
    for (const sender of senders()) await turnsDown({ ...code, ...sender, grant_type });
  });

  test.each(["", "{", "null", "[]", '"x"', "1", `[${JSON.stringify({ ...code, ...stranger })}]`])(
    "POST /oauth/token refuses a body that is no JSON object: %j (interface 4.2)",
    (body) => turnsDown(body),
  );
});
