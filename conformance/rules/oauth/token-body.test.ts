import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { holds, holdsForAll } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
import {
  basic,
  clientOf,
  type Encoding,
  encodings,
  expectError,
  expectRevoked,
  needsClients,
  newGrant,
  type OAuthPath,
  type Parameters,
  post,
  postAs,
  postRaw,
  tokensOf,
} from "../../suite/client/oauth/oauth-client.ts";
import { contract, operation, type Schema } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { text } from "../../suite/values/text.ts";

// How the two OAuth endpoints read bodies. An accepted request names a token that was never issued.

beforeEach(needsClients);

type Endpoint = { path: OAuthPath; parameters: Record<string, string>; model: string; read: (reply: Reply) => void };

const endpoints: Endpoint[] = [
  {
    path: "/oauth/token",
    parameters: { grant_type: "refresh_token", refresh_token: "namjai_r1_unknown" },
    model: "TokenRequest",
    read: (reply) => expectError(reply, "invalid_grant"),
  },
  { path: "/oauth/revoke", parameters: { token: "namjai_r1_unknown" }, model: "RevocationRequest", read: expectRevoked },
];

const json = { "Content-Type": "application/json" };
const form = { "Content-Type": "application/x-www-form-urlencoded" };
const limit = 65_536;

describe.each(endpoints)("$path", ({ path, parameters, model, read }) => {
  const members = Object.keys(
    (contract.components as { schemas: Record<string, { properties: Schema }> }).schemas[model]?.properties ?? {},
  );
  const credentials = (): Record<string, string> => ({
    client_id: clientOf("confidential").id,
    client_secret: String(clientOf("confidential").secret),
  });
  const valid = (): Record<string, string> => ({ ...credentials(), ...parameters });
  const authorized = (): Record<string, string> => ({
    Authorization: basic(clientOf("confidential").id, String(clientOf("confidential").secret)),
  });

  test(`${path} accepts JSON and forms (interface 4.2, 4.3; RFC 6749 3.2)`, async () => {
    expect(Object.keys(operation(path === "/oauth/token" ? "issueToken" : "revokeToken").requestBody?.content ?? {})).toEqual(
      expect.arrayContaining(Object.values({ ...json, form: form["Content-Type"] })),
    );
    for (const as of encodings) read(await post(path, valid(), { as }));
  });

  test.each(["application/json; charset=utf-8", "application/x-www-form-urlencoded;charset=UTF-8", "Application/JSON"])(
    "a body with Content-Type %s is accepted",
    async (type) => {
      const as = /json/i.test(type) ? "json" : "form";
      read(await post(path, valid(), { as, headers: { "Content-Type": type } }));
    },
  );

  test.each(["text/plain", "multipart/form-data; boundary=x", "application/xml", "application/problem+json", "application/jsonp", ""])(
    "a body with Content-Type %j is refused with 415",
    async (type) =>
      expectError(await postRaw(path, JSON.stringify(valid()), { headers: { "Content-Type": type } }), "invalid_request", 415),
  );

  test("a body without Content-Type is refused with 415", async () =>
    expectError(await postRaw(path, JSON.stringify(valid())), "invalid_request", 415));

  test("a compressed body is refused with 415", async () =>
    expectError(
      await postRaw(path, gzipSync(JSON.stringify(valid())), { headers: { ...json, "Content-Encoding": "gzip" } }),
      "invalid_request",
      415,
    ));

  describe("64 KiB", () => {
    const bodies = (size: number): [string, Record<string, string>][] => [
      [`{"x":"${"x".repeat(size)}",${JSON.stringify(valid()).slice(1)}`, json],
      [`x=${"x".repeat(size)}&${new URLSearchParams(valid())}`, form],
    ];
    test("a body of 64 KiB is accepted", async () => {
      for (const [body, headers] of bodies(limit - 1000)) read(await postRaw(path, body, { headers }));
    });
    test("a body above 64 KiB is refused with 413", async () => {
      for (const size of [limit, 1_000_000])
        for (const [body, headers] of bodies(size)) expectError(await postRaw(path, body, { headers }), "invalid_request", 413);
    });
    test("a body above 64 KiB without Content-Length is refused with 413", async () => {
      for (const [body, headers] of bodies(limit))
        expectError(await send({ method: "POST", path, key: null, headers, body, chunked: true }), "invalid_request", 413);
    });
  });

  test.each(["", "{", "nonsense", "[]", '"x"', "null", "1", `{"grant_type":"refresh_token",}`, "grant_type=refresh_token"])(
    "JSON that is no object is refused with invalid_request: %j",
    async (body) => expectError(await postRaw(path, body, { headers: { ...json, ...authorized() } }), "invalid_request"),
  );

  test("JSON that is nested too deeply is refused with invalid_request", async () => {
    for (const depth of [40, 30_000])
      expectError(
        await postRaw(path, `{"x":${"[".repeat(depth)}${"]".repeat(depth)}}`, { headers: { ...json, ...authorized() } }),
        "invalid_request",
      );
  });

  test("a body of invalid UTF-8 is refused with invalid_request", async () => {
    const body = Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff]), Buffer.from(`",${JSON.stringify(valid()).slice(1)}`)]);
    expectError(await postRaw(path, body, { headers: json }), "invalid_request");
  });

  test.each(members)("a %s that is no string is refused with invalid_request", async (member) => {
    for (const value of [1, true, null, [], ["x"], {}, { x: 1 }])
      expectError(await post(path, { ...valid(), [member]: value }), "invalid_request");
  });

  const jsonOf = (pairs: [string, unknown][]): string =>
    `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
  const formOf = (pairs: [string, unknown][]): string => new URLSearchParams(pairs as [string, string][]).toString();
  const written = [
    { as: "JSON", headers: json, write: jsonOf },
    { as: "a form", headers: form, write: formOf },
  ];

  describe.each(written)("in $as", ({ headers, write }) => {
    const others = (member: string): [string, unknown][] => Object.entries(valid()).filter(([name]) => name !== member);

    test.each(members)(
      "a repeated %s is refused with invalid_request, whatever its values and their order (RFC 6749 3.2)",
      async (member) => {
        const value = valid()[member] ?? "x";
        const repetitions = [
          [value, value],
          [value, "y"],
          ["y", value],
          [value, ""],
          ["", value],
          ["", ""],
        ];
        for (const [first, second] of repetitions) {
          const body = write([[member, first], ...others(member), [member, second]]);
          expectError(await postRaw(path, body, { headers }), "invalid_request");
        }
      },
    );

    test("a repeated unknown parameter is ignored like any unknown one", async () =>
      read(await postRaw(path, write([["x", "1"], ...others("x"), ["x", "2"]]), { headers })));
  });

  test("a repeated JSON member is found however it is escaped and wherever white space stands", async () => {
    const [[name = "", value] = []] = Object.entries(parameters);
    const escaped = `"\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}"`;
    const rest = JSON.stringify(valid()).slice(1);
    for (const repeated of [`${escaped}:"${value}"`, `\n"${name}"\t :\r\n "x"`, `"x":{"a":"}"},"${name}":"x"`, `"${name}":null`])
      expectError(await postRaw(path, `{${repeated},${rest}`, { headers: json }), "invalid_request");
  });

  test("a name that stands again inside another JSON member is not a repetition", async () => {
    const [[name = "", value] = []] = Object.entries(parameters);
    for (const other of [`{"${name}":"${value}","${name}":1}`, `["${name}",{"${name}":1}]`, `"\\",\\"${name}\\":"`])
      read(await postRaw(path, `{"x":${other},${JSON.stringify(valid()).slice(1)}`, { headers: json }));
  });

  test("unknown members of a body are ignored, whatever they are (RFC 6749 3.2)", async () => {
    for (const value of [1, null, ["x"], { x: {} }, "x"]) read(await post(path, { ...valid(), audience: value, scope_: value }));
    read(await post(path, { ...valid(), audience: "x", state: "" }, { as: "form" }));
  });

  test("names of members are case-sensitive: one in another case is unknown", async () => {
    const [name = ""] = Object.keys(parameters);
    const others = Object.fromEntries(Object.entries(valid()).map(([one, value]) => [one === name ? one.toUpperCase() : one, value]));
    for (const as of encodings) expectError(await post(path, others, { as }), "invalid_request");
  });

  test("a parameter of a form whose name ends in [] is unknown: its value is neither a list nor the parameter", async () => {
    const formWith = (name: string) => formOf(Object.entries(valid()).map(([one, value]) => [one === name ? `${one}[]` : one, value]));
    for (const name of Object.keys(parameters)) expectError(await postRaw(path, formWith(name), { headers: form }), "invalid_request");
    expectError(await postRaw(path, formWith("client_secret"), { headers: form }), "invalid_client");
  });

  test("a form with malformed escapes or bytes that are no UTF-8 is read or refused with 400", async () => {
    for (const octets of ["%zz", "%", "%ff"]) {
      const reply = await postRaw(path, `x=${octets}&${new URLSearchParams(valid())}`, { headers: form });
      expect(reply.status, reply.text).toBeOneOf([200, 400]);
    }
  });

  test("names that every JavaScript object has are not taken for members that were sent", async () => {
    const body = `{"__proto__":${JSON.stringify(parameters)},${JSON.stringify(credentials()).slice(1)}`;
    expectError(await postRaw(path, body, { headers: json }), "invalid_request");
  });

  /** Sends the first in the URL and the second in the body. */
  const askInUrl = (inUrl: Record<string, string>, inBody: Record<string, string>, as: Encoding): Promise<Reply> =>
    post(`${path}?${new URLSearchParams(inUrl)}` as OAuthPath, inBody, { as });

  test("parameters in the URL are never read, neither the client's nor the others", async () => {
    for (const as of encodings) {
      const { client_id = "", client_secret = "" } = credentials();
      for (const reply of [
        await askInUrl(valid(), {}, as),
        await askInUrl(credentials(), parameters, as),
        await askInUrl({ client_secret }, { client_id, ...parameters }, as),
        await askInUrl({ client_secret }, { client_id, client_secret: "wrong", ...parameters }, as),
      ]) {
        expect(reply.status, reply.text).toBeOneOf([400, 401]);
        expect((reply.body as { error: string }).error).toBeOneOf(["invalid_client", "invalid_request"]);
      }
      expectError(await askInUrl(parameters, credentials(), as), "invalid_request");
    }
  });

  test("a body with any text in any member is refused or read without a server error", () =>
    holds(fc.tuple(fc.constantFrom(...members), text(0, 300), fc.constantFrom(...encodings)), async ([member, value, as]) => {
      const reply = await post(path, { ...valid(), [member]: value }, { as });
      expect(reply.status, reply.text).toBeOneOf([200, 400, 401]);
    }));

  test("a body with NUL or lone surrogates in any member never causes a server error", () =>
    holdsForAll(
      members.flatMap((member) => ["\\u0000", "x\\u0000", "\\ud800", "\\udfff\\ud800"].map((value) => ({ member, value }))),
      async ({ member, value }) => {
        const others = JSON.stringify({ ...valid(), [member]: undefined }).slice(1);
        const reply = await postRaw(path, `{${JSON.stringify(member)}:"${value}",${others}`, { headers: json });
        expect(reply.status, reply.text).toBeOneOf([200, 400, 401]);
      },
    ));

  test.each(["GET", "PUT", "DELETE", "PATCH"])(`%s ${path} is refused with 405`, async (method) => {
    const reply = await send({ method, path, key: null });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toMatch(/\bPOST\b/);
  });

  test(`${path} can be requested by applications in any browser: CORS`, async () => {
    const Origin = "https://spa.example";
    const headers = { Origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type, authorization" };
    const preflight = await send({ method: "OPTIONS", path, key: null, headers });
    expect(preflight.status).toBeOneOf([200, 204]);
    for (const { headers: answer } of [preflight, await post(path, valid(), { headers: { Origin } })]) {
      expect(answer["access-control-allow-origin"]).toBeOneOf(["*", Origin]);
      expect(answer["access-control-allow-credentials"]).toBeUndefined();
    }
  });
});

test.each(encodings)("an empty optional parameter counts as left out (RFC 6749 3.1): %s", async (as) => {
  const { refresh_token, scope } = await newGrant(clientOf("confidential"));
  const empty: Parameters = { grant_type: "refresh_token", refresh_token, scope: "", resource: "", code_verifier: "", code: "" };
  expect(tokensOf(await postAs(clientOf("confidential"), "/oauth/token", empty, { as })).scope).toBe(scope);
});
