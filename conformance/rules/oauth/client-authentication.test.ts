import { beforeEach, describe, test } from "vitest";

import { expectProblem, expectWithin, me } from "../../suite/client/api.ts";
import {
  basic,
  clientOf,
  encodings,
  exchange,
  expectError,
  expectRevoked,
  needsClients,
  newCode,
  newGrant,
  type OAuthPath,
  type Parameters,
  post,
  refresh,
  tokensOf,
} from "../../suite/client/oauth/oauth-client.ts";
import { addClient, cli } from "../../suite/client/operator.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { remember } from "../../suite/values/redact.ts";
import { type Client, operatorOf } from "../../suite/values/target.ts";

beforeEach(needsClients);

type Endpoint = { path: OAuthPath; parameters: Parameters; accepted: (reply: Reply) => void };

const endpoints: Endpoint[] = [
  {
    path: "/oauth/token",
    parameters: { grant_type: "refresh_token", refresh_token: "namjai_r1_unknown" },
    accepted: (reply) => expectError(reply, "invalid_grant"),
  },
  { path: "/oauth/revoke", parameters: { token: "namjai_r1_unknown" }, accepted: expectRevoked },
];

const confidential = (): Client => clientOf("confidential");
const secretOf = (client: Client): string => String(client.secret);
const header = (Authorization: string): { headers: Record<string, string> } => ({ headers: { Authorization } });
const encodedAs = (text: string): string => Buffer.from(text).toString("base64");

const wrongSecrets: [string, (right: string) => string][] = [
  ["another secret", () => "nonsense"],
  ["the secret of another client", () => secretOf(clientOf("second"))],
  ["the secret cut short", (right) => right.slice(0, -1)],
  ["the secret with something behind it", (right) => `${right}x`],
  ["the secret in capitals", (right) => right.toUpperCase()],
  ["the secret with a blank before it", (right) => ` ${right}`],
  ["the client's id", () => confidential().id],
  ["something like SQL", () => "' or '1'='1"],
];

describe.each(endpoints)("$path", ({ path, parameters, accepted }) => {
  describe.each(encodings)("as %s", (as) => {
    const refused = async (members: Parameters, how: { headers?: Record<string, string> } = {}): Promise<void> =>
      expectError(await post(path, { ...parameters, ...members }, { as, ...how }), "invalid_client");

    test.each(wrongSecrets)(
      "a wrong client secret is refused with invalid_client, in the body and in the header: %s",
      async (_, change) => {
        const { id } = confidential();
        const wrong = change(secretOf(confidential()));
        remember(wrong.length > 30 ? wrong : null);
        await refused({ client_id: id, client_secret: wrong });
        await refused({}, header(basic(id, wrong)));
      },
    );

    test("the secret with NUL and something behind it is refused with invalid_client, or in the body with invalid_request (RFC 6749 A.2)", async () => {
      const { id: client_id } = confidential();
      const client_secret = `${secretOf(confidential())}\u0000x`;
      remember(client_secret);
      const reply = await post(path, { ...parameters, client_id, client_secret }, { as });
      expectError(reply, reply.status === 400 ? "invalid_request" : "invalid_client");
      await refused({}, header(basic(client_id, client_secret)));
    });

    test("an unknown client is refused with invalid_client", async () => {
      for (const id of ["unknown", `${confidential().id}x`, confidential().id.toLowerCase().replace(/^./, "_"), "' or '1'='1"]) {
        await refused({ client_id: id, client_secret: secretOf(confidential()) });
        await refused({ client_id: id });
        await refused({}, header(basic(id, secretOf(confidential()))));
      }
    });

    test("a client id in another case or with a blank names no client: invalid_client", async () => {
      const { id: right } = confidential();
      const inOtherCase = [right.toUpperCase(), right.toLowerCase()].filter((id) => id !== right);
      for (const id of [...inOtherCase, `${right} `, ` ${right}`]) {
        await refused({ client_id: id, client_secret: secretOf(confidential()) });
        await refused({}, header(basic(id, secretOf(confidential()))));
      }
    });

    test("a request without a client is refused with invalid_client", async () => {
      await refused({});
      await refused({ client_secret: secretOf(confidential()) });
      await refused({ client_id: "", client_secret: secretOf(confidential()) });
    });

    test("a confidential client without its secret is refused with invalid_client", async () => {
      const { id } = confidential();
      await refused({ client_id: id });
      await refused({ client_id: id, client_secret: "" });
      await refused({}, header(basic(id, "")));
    });

    test.each([
      "Basic",
      "Basic ",
      "Basic !!!",
      `Basic ${encodedAs("no colon")}`,
      `Basic ${encodedAs(":")}`,
      `Basic ${encodedAs(":secret")}`,
      `Basic ${encodedAs("%zz:%")}`,
      `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString("base64")}`,
      "Bearer x",
      "Digest username=x",
    ])("an Authorization header that names no client is refused with invalid_client: %s", (value) => refused({}, header(value)));

    test("the client in the body counts, whatever an Authorization header of another scheme says (interface 5.4)", async () => {
      const client = { client_id: confidential().id, client_secret: secretOf(confidential()) };
      for (const value of ["Bearer x", "Digest username=x"])
        accepted(await post(path, { ...parameters, ...client }, { as, ...header(value) }));
      await refused({ ...client, client_secret: "nonsense" }, header("Bearer x"));
    });

    test("HTTP Basic with a colon too many is refused with invalid_client (RFC 7617 2)", async () => {
      const [{ id }, secret] = [confidential(), secretOf(confidential())];
      for (const pair of [`${id}:${secret}:x`, `${id}:${secret}:`, `${id}::${secret}`, `:${id}:${secret}`]) {
        const encoded = encodedAs(pair);
        remember(encoded);
        await refused({}, header(`Basic ${encoded}`));
      }
    });

    test("credentials in HTTP Basic are form-encoded (RFC 6749 2.3.1)", async () => {
      const escaped = (text: string): string => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
      const { id } = confidential();
      const encoded = encodedAs(`${escaped(id)}:${escaped(secretOf(confidential()))}`);
      remember(encoded);
      for (const scheme of ["Basic", "basic", "BASIC"]) accepted(await post(path, parameters, { as, ...header(`${scheme} ${encoded}`) }));
    });

    test("two ways of authentication in one request are refused with invalid_request (RFC 6749 2.3)", async () => {
      const { id } = confidential();
      const both = { ...parameters, client_id: id, client_secret: secretOf(confidential()) };
      expectError(await post(path, both, { as, ...header(basic(id, secretOf(confidential()))) }), "invalid_request");
    });

    test("two Authorization headers are refused with invalid_client, whichever of them is valid and stands first (RFC 6749 2.3)", async () => {
      const good = basic(confidential().id, secretOf(confidential()));
      for (const both of [
        [good, "Basic eDp5"],
        ["Basic eDp5", good],
      ] as never[])
        await refused({}, header(both)); // node:http sends a list as two headers
    });

    test("client_id in the body must equal the client of HTTP Basic", async () => {
      const how = { as, ...header(basic(confidential().id, secretOf(confidential()))) };
      accepted(await post(path, { ...parameters, client_id: confidential().id }, how));
      expectError(await post(path, { ...parameters, client_id: clientOf("second").id }, how), "invalid_request");
    });

    test("a public client is named by client_id in the body", async () =>
      accepted(await post(path, { ...parameters, client_id: clientOf("public").id }, { as })));

    test("a public client's id with a confidential client's secret is refused with invalid_client", async () => {
      await refused({ client_id: clientOf("public").id, client_secret: secretOf(confidential()) });
      await refused({}, header(basic(clientOf("public").id, secretOf(confidential()))));
    });
  });
});

test("a request with a wrong secret uses up neither code nor refresh token", async () => {
  const wrong = { ...confidential(), secret: "nonsense" };
  const code = await newCode(confidential());
  expectError(await exchange(wrong, code), "invalid_client");
  const { refresh_token } = tokensOf(await exchange(confidential(), code));
  expectError(await refresh(wrong, refresh_token), "invalid_client");
  tokensOf(await refresh(confidential(), refresh_token));
});

test.each(encodings)("a PKCE verifier does not replace the client's secret: %s", async (as) => {
  const { id } = confidential();
  const code = await newCode(confidential());
  expectError(await exchange({ ...confidential(), secret: null }, code, { as }), "invalid_client");
  expectError(await exchange({ ...confidential(), id, secret: "" }, code, { as, by: "basic" }), "invalid_client");
});

test("a client that moves from one secret to the next can use both", async (context) => {
  const operator = operatorOf(context);
  const first = await addClient(operator, { name: "Moving", redirectUris: confidential().redirectUris, scopes: "read:donations" });
  const next = async (): Promise<Client> => {
    const { client_secret } = JSON.parse(await cli(operator, "clients", "rotate", first.id));
    remember(client_secret);
    return { ...first, secret: client_secret };
  };
  remember(first.secret);
  const second = await next();
  const { refresh_token } = await newGrant(first);
  const { refresh_token: again } = tokensOf(await refresh(second, refresh_token));
  const third = await next();
  expectError(await refresh(first, again), "invalid_client");
  const { refresh_token: last } = tokensOf(await refresh(second, again));
  tokensOf(await refresh(third, last));
});

test("a removed client is refused with invalid_client, and its tokens are revoked within a second", async (context) => {
  const operator = operatorOf(context);
  const client = await addClient(operator, { name: "Leaving", redirectUris: confidential().redirectUris, scopes: "read:donations" });
  remember(client.secret);
  const { access_token, refresh_token } = await newGrant(client);
  await cli(operator, "clients", "remove", client.id);
  await expectWithin(1000, async () => (await me({ key: access_token })).status, 401);
  expectProblem(await me({ key: access_token }), 401, "token_revoked");
  expectError(await refresh(client, refresh_token), "invalid_client");
});
