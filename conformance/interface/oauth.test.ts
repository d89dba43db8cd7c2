// The token and revocation endpoints (interface 4.2, 4.3, 5.4).

import { describe, expect, test } from "vitest";
import { countAs } from "../suite/client/trace.ts";
import type { Reply } from "../suite/contract/http-request.ts";
import { type AnyClient, accessToken, anyClient, existence, expectEndpoint, postAny, skipWithout } from "../suite/models/any-client.ts";
import { createAny, donationWith, expectAcceptance, expectRefusal, isAccepted, isRefused } from "../suite/models/verdicts.ts";
import { tried } from "../suite/values/score.ts";
import { target } from "../suite/values/target.ts";
import { inOtherCase } from "../suite/values/text.ts";

// The interface names neither the members for code and refresh token nor any answer: the rules are that nothing made up is exchanged,
// and that no request makes the server fail.

const tokenPath = "/oauth/token";
const code = { grant_type: "authorization_code", code: "made-up", redirect_uri: "https://client.example/callback" };
const refresh = { grant_type: "refresh_token", refresh_token: "made-up" };
const stranger = { client_id: "made-up", client_secret: "made-up" };

/** A server may look at the client first: a request of one that exists gets further. Its code was never issued, so it is refused in any case. */
const senders = (): AnyClient[] => {
  const { client } = target();
  return client?.secret ? [stranger, { client_id: client.id, client_secret: client.secret }] : [stranger];
};

async function refusesGrant(body: unknown): Promise<void> {
  expectRefusal(
    await postAny(tokenPath, typeof body === "string" ? body : JSON.stringify(body)),
    "of a code or token that was never issued",
  );
}

describe("POST /oauth/token", () => {
  skipWithout(tokenPath);

  test("POST /oauth/token exists without a version in its path (interface 4.2, 9.2)", existence, async (context) => {
    tried("path");
    await expectEndpoint(context, tokenPath);
  });

  test.each([code, refresh])("POST /oauth/token refuses a client that was made up: $grant_type (interface 4.2, 5.4)", (grant) =>
    refusesGrant({ ...grant, ...stranger }),
  );

  test.for([code, refresh])(
    "POST /oauth/token refuses a code or token that was never issued, to a client that exists: $grant_type (interface 4.2)",
    (grant, context) => refusesGrant({ ...grant, ...anyClient(context) }),
  );

  test.for([code, refresh])("POST /oauth/token refuses a client with a wrong secret: $grant_type (interface 5.4)", (grant, context) =>
    refusesGrant({ ...grant, ...anyClient(context), client_secret: "made-up" }),
  );

  test.each(["grant_type", "client_id", "client_secret"])(
    "POST /oauth/token refuses a %s that is no string (interface 4.2)",
    async (member) => {
      for (const sender of senders())
        for (const value of [null, 1, true, [], ["authorization_code"], {}]) await refusesGrant({ ...code, ...sender, [member]: value });
    },
  );

  test.each(["grant_type", "client_id", "client_secret"])(
    "POST /oauth/token refuses a request without %s (interface 4.2, 5.4)",
    async (member) => {
      for (const sender of senders()) await refusesGrant({ ...code, ...sender, [member]: undefined });
    },
  );

  test.each(["", "made-up", "AUTHORIZATION_CODE"])("POST /oauth/token refuses the grant_type %j (interface 4.2)", async (grant_type) => {
    for (const sender of senders()) await refusesGrant({ ...code, ...sender, grant_type });
  });

  test.each(["", "{", "null", "[]", '"x"', "1", `[${JSON.stringify({ ...code, ...stranger })}]`])(
    "POST /oauth/token refuses a body that is no JSON object: %j (interface 4.2)",
    (body) => refusesGrant(body),
  );
});

// The interface shows no answers of this endpoint: the rules are about who may revoke and about revoked tokens.

const revokePath = "/oauth/revoke";
const often = { interval: 100, message: "a donation by a revoked token must be refused (4xx)" };

async function refusesRevocation(body: unknown): Promise<void> {
  expectRefusal(
    await postAny(revokePath, typeof body === "string" ? body : JSON.stringify(body)),
    "of a request without a valid client and a token that is text",
  );
}

/** Changes to a secret, of which a server must compare every letter. */
const nearlyRight: [what: string, (secret: string) => string][] = [
  ["cut short", (secret) => secret.slice(0, -1)],
  ["its first half", (secret) => secret.slice(0, Math.ceil(secret.length / 2))],
  ["longer by a letter", (secret) => `${secret}A`],
  ["another in its last letter", (secret) => secret.slice(0, -1) + (secret.endsWith("a") ? "b" : "a")],
  ["twice the right one", (secret) => secret + secret],
  ["the right one in the other letter case", inOtherCase],
];

const createWith = (key: string): Promise<Reply> => createAny(donationWith({ skipAlert: "true" }), { key });

describe("POST /oauth/revoke", () => {
  skipWithout(revokePath);

  test("POST /oauth/revoke exists without a version in its path (interface 4.3, 9.2)", existence, async (context) => {
    tried("path");
    await expectEndpoint(context, revokePath);
  });

  test("POST /oauth/revoke refuses a client that was made up (interface 4.3, 5.4)", () =>
    refusesRevocation({ token: "made-up", ...stranger }));

  test("POST /oauth/revoke refuses a client with a wrong secret (interface 4.3, 5.4)", async (context) => {
    await refusesRevocation({ token: "made-up", ...anyClient(context), client_secret: "made-up" });
    await refusesRevocation({ token: "made-up", ...anyClient(context), client_secret: "" });
  });

  test.for(nearlyRight)("POST /oauth/revoke refuses a client whose secret is %s (interface 4.3, 5.4)", ([what, change], context) => {
    const client = anyClient(context);
    const wrong = change(client.client_secret);
    if (wrong === client.client_secret) context.skip("not applicable: the secret of this client has no letters");
    return refusesRevocation({ token: "made-up", ...client, client_secret: countAs(`secret ${what}`, wrong) });
  });

  test("POST /oauth/revoke does not fail on a token that was never issued (interface 4.3)", async (context) => {
    for (const token of ["made-up", "", "a".repeat(4000), "..", "'or'1'='1", "\u0000", "โทเค็น"]) {
      const reply = await postAny(revokePath, JSON.stringify({ token, ...anyClient(context) }));
      if (!isAccepted(reply)) expectRefusal(reply, "of a token that was never issued, or 2xx");
    }
  });

  test.each(["client_id", "client_secret"])(
    "POST /oauth/revoke refuses a %s that is no string, or left out (interface 4.3, 5.4)",
    async (member) => {
      for (const value of [null, 1, true, [], {}, undefined]) await refusesRevocation({ token: "made-up", ...stranger, [member]: value });
    },
  );

  test("POST /oauth/revoke refuses a client that exists whose secret is no string, or left out (interface 4.3, 5.4)", async (context) => {
    const client = anyClient(context);
    for (const client_secret of [undefined, null, true, [], [client.client_secret], {}, { $ne: "" }])
      await refusesRevocation({ token: "made-up", ...client, client_secret });
  });

  test("POST /oauth/revoke refuses a token that is no string, or left out (interface 4.3)", async (context) => {
    for (const token of [null, 1, true, [], ["made-up"], {}, undefined]) await refusesRevocation({ token, ...anyClient(context) });
  });

  test.each(["", "{", "null", "[]", '"x"', "1"])("POST /oauth/revoke refuses a body that is no JSON object: %j (interface 4.3)", (body) =>
    refusesRevocation(body),
  );

  test("a client that was made up revokes no token (interface 5.4)", async (context) => {
    const token = await accessToken(context, "OAUTH_ACCESS_TOKEN");
    await postAny(revokePath, JSON.stringify({ token, ...stranger }));
    await postAny(revokePath, JSON.stringify({ token, ...anyClient(context), client_secret: "made-up" }));
    expectAcceptance(await createWith(token), "of a donation by a token that only a made-up client has tried to revoke");
  });

  test("a revoked access token creates no donation (interface 4.3)", async (context) => {
    const token = await accessToken(context, "OAUTH_REVOCABLE_TOKEN");
    const client = anyClient(context);
    const before = await createWith(token);
    if (target().foreign && isRefused(before)) context.skip("not run: OAUTH_REVOCABLE_TOKEN is good no longer");
    expectAcceptance(before, "of a donation by a token that is not revoked yet");
    expectAcceptance(await postAny(revokePath, JSON.stringify({ token, ...client })), "of the revocation of a token by its client");
    await expect.poll(async () => isRefused(await createWith(token)), often).toBe(true);
  });
});
