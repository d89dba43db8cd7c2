import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { beforeEach, describe, expect, type TestContext, test } from "vitest";

import { create, expectProblem, me } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { clientOf, needsClients, newGrant } from "../../suite/client/oauth/oauth-client.ts";
import {
  assembled,
  type Changes,
  claimsOf,
  encoded,
  forged,
  headerOf,
  partsOf,
  publicKeys,
  type SigningKey,
  stolenKey,
} from "../../suite/servers/credentials.ts";
import { donation } from "../../suite/values/donations.ts";
import { remember } from "../../suite/values/redact.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

beforeEach(needsClients);

const genuine = once(async () => (await newGrant(clientOf("confidential"), { scopes: "read:donations" })).access_token);
const ownKey = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ownJwk = ownKey.publicKey.export({ format: "jwk" });

async function expectRefused(token: string): Promise<void> {
  remember(partsOf(token)[2].length > 40 ? token : null);
  expectProblem(await me({ key: token }), 401, "invalid_token");
}

describe("without the server's key", () => {
  test.each(["none", "None", "NONE", "nOnE"])("a token with alg %s is refused with invalid_token", async (alg) => {
    const token = await genuine();
    const header = { ...headerOf(token), alg };
    for (const signature of ["", partsOf(token)[2], "x"]) await expectRefused(assembled(header, claimsOf(token), signature));
    await expectRefused(assembled({ alg, typ: "at+jwt" }, claimsOf(token)));
    await expectRefused(`${encoded(header)}.${encoded(claimsOf(token))}`);
  });

  test("a token signed by HMAC with the public key as secret is refused with invalid_token", async () => {
    const token = await genuine();
    for (const jwk of await publicKeys()) {
      const pem = createPublicKey({ key: { ...jwk }, format: "jwk" })
        .export({ format: "pem", type: "spki" })
        .toString();
      const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
      const point = Buffer.concat([Buffer.from([4]), Buffer.from(jwk.x, "base64url"), Buffer.from(jwk.y, "base64url")]);
      for (const secret of [
        pem,
        pem.trim(),
        der,
        der.toString("base64"),
        JSON.stringify(jwk),
        jwk.x,
        Buffer.from(jwk.x, "base64url"),
        point,
        jwk.kid,
        "",
      ])
        for (const [alg, hash] of [
          ["HS256", "sha256"],
          ["HS512", "sha512"],
          ["ES256", "sha256"],
        ]) {
          const head = `${encoded({ ...headerOf(token), alg, kid: jwk.kid })}.${encoded({ ...claimsOf(token), jti: randomUUID() })}`;
          await expectRefused(`${head}.${createHmac(String(hash), secret).update(head).digest("base64url")}`);
        }
    }
  });

  const kids: [string, Changes["header"]][] = [
    ["the server's kid", {}],
    ["no kid", { kid: undefined }],
    ["a foreign kid", { kid: "foreign" }],
    ["an empty kid", { kid: "" }],
    ["a path as kid", { kid: "../../../../dev/null" }],
    ["SQL as kid", { kid: "' union select 1 --" }],
    ["a name that every object has as kid", { kid: "__proto__" }],
    ["NUL in the kid", { kid: "\u0000" }],
    ["a kid of 4000 characters", { kid: "k".repeat(4000) }],
    ["the key in the header", { jwk: ownJwk }],
    ["the key in the header and its kid", { jwk: { ...ownJwk, kid: "own" }, kid: "own" }],
    ["an address of the key", { jku: "http://127.0.0.1:9/jwks.json" }],
    ["an address of a certificate", { x5u: "http://127.0.0.1:9/x" }],
  ];
  test.each(kids)("a token signed by a foreign key with %s is refused with invalid_token", async (_, header) =>
    expectRefused(await forged(await genuine(), ownKey.privateKey, { header })),
  );

  test("a token signed by a foreign key of another algorithm is refused with invalid_token", async () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
    const ed = generateKeyPairSync("ed25519").privateKey;
    for (const [alg, key] of [
      ["RS256", rsa],
      ["PS256", rsa],
      ["ES384", p384],
      ["EdDSA", ed],
    ] as const)
      await expectRefused(await forged(await genuine(), key, { header: { alg } }));
  });

  test.each<[string, object]>([
    ["more scopes", { scope: "read:donations write:donations" }],
    ["another streamer", { sub: randomUUID() }],
    ["another client", { client_id: "x" }],
    ["another hour", { exp: Math.floor(Date.now() / 1000) + 86_400 }],
    ["another id", { jti: randomUUID() }],
  ])("a token whose payload was changed to %s is refused with invalid_token", async (_, claims) => {
    const token = await genuine();
    const [header, , signature] = partsOf(token);
    await expectRefused(`${header}.${encoded({ ...claimsOf(token), ...claims })}.${signature}`);
  });

  test("a token with any character changed is refused with invalid_token", () =>
    holds(fc.tuple(fc.nat(2000), fc.constantFrom(..."Aaz9_-.")), async ([at, letter]) => {
      const token = await genuine();
      const index = at % token.length;
      const other = token[index] === letter ? "0" : letter;
      expectProblem(await me({ key: token.slice(0, index) + other + token.slice(index + 1) }), 401, "invalid_token");
    }));

  test("a token whose signature is empty, of zeros, of ones, of another token, or encoded another way is refused with invalid_token", async () => {
    const [header, payload, signature] = partsOf(await genuine());
    const bytes = Buffer.from(signature, "base64url");
    const der = Buffer.concat([Buffer.from([0x30, 68, 2, 32]), bytes.subarray(0, 32), Buffer.from([2, 32]), bytes.subarray(32)]);
    const another = partsOf((await newGrant(clientOf("confidential"))).access_token)[2];
    for (const wrong of [Buffer.alloc(0), Buffer.alloc(64), Buffer.alloc(64, 1), Buffer.alloc(64, 255), der, bytes.subarray(0, 63)])
      await expectRefused(`${header}.${payload}.${wrong.toString("base64url")}`);
    await expectRefused(`${header}.${payload}.${another}`);
    for (const extra of ["=", "A", "."]) await expectRefused(`${header}.${payload}.${signature}${extra}`);
  });

  test("a token with a part that is no base64url without padding is refused with invalid_token (RFC 7515 2)", async () => {
    const [header, payload, signature] = partsOf(await genuine());
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(signature.slice(-1));
    const otherBits = [1, 2, 3].map((bits) => signature.slice(0, -1) + alphabet[last + bits]);
    const others = [`${signature}==`, `${signature}%3D%3D`, `${signature.slice(0, 9)} ${signature.slice(9)}`, ...otherBits];
    for (const other of others) await expectRefused(`${header}.${payload}.${other}`);
    await expectRefused(`${header}==.${payload}.${signature}`);
    await expectRefused(`${header}.${payload}=.${signature}`);
  });

  test("a token that is no compact JWS is refused with invalid_token", async () => {
    const token = await genuine();
    const [header, payload, signature] = partsOf(token);
    for (const wrong of [
      header,
      `${header}.${payload}`,
      `${token}.${signature}`,
      `.${payload}.${signature}`,
      "..",
      `${header}..${signature}`,
    ])
      await expectRefused(wrong);
    await expectRefused(Buffer.from(JSON.stringify({ payload, signatures: [{ protected: header, signature }] })).toString("base64url"));
  });
});

describe("with the server's key", () => {
  const keyOr = async (context: TestContext): Promise<SigningKey> =>
    (await stolen(operatorOf(context))) ?? context.skip("not applicable: the private keys are encrypted in the database");
  const stolen = once(stolenKey);
  const forge = async (context: TestContext, changes?: Changes): Promise<string> => forged(await genuine(), await keyOr(context), changes);
  const now = (): number => Math.floor(Date.now() / 1000);

  test("a token forged with the server's key and right claims is accepted: the test's tools work", async (context) => {
    expect((await me({ key: await forge(context) })).status).toBe(200);
    expectProblem(await create(donation(), { key: await forge(context) }), 403, "insufficient_scope");
    expect((await create(donation(), { key: await forge(context, { claims: { scope: "write:donations" } }) })).status).toBe(201);
  });

  const wrong: [string, () => Changes][] = [
    ["another issuer", () => ({ claims: { iss: "https://evil.example" } })],
    ["an issuer with a slash behind it", () => ({ claims: { iss: `${target().url}/` } })],
    ["no issuer", () => ({ claims: { iss: undefined } })],
    ["another audience", () => ({ claims: { aud: "https://evil.example" } })],
    ["an audience that only begins like ours", () => ({ claims: { aud: `${target().url}.evil.example` } })],
    ["/mcp as audience", () => ({ claims: { aud: `${target().url}/mcp` } })],
    ["audiences, none of them ours", () => ({ claims: { aud: ["https://evil.example", `${target().url}/mcp`] } })],
    ["no audience", () => ({ claims: { aud: undefined } })],
    ["the type JWT", () => ({ header: { typ: "JWT" } })],
    ["the type of a logout token", () => ({ header: { typ: "logout+jwt" } })],
    ["no type", () => ({ header: { typ: undefined } })],
    ["no expiry", () => ({ claims: { exp: undefined } })],
    ["an expiry that is no number", () => ({ claims: { exp: String(now() + 1000) } })],
    ["no id", () => ({ claims: { jti: undefined } })],
    ["no streamer", () => ({ claims: { sub: undefined } })],
    ["no client", () => ({ claims: { client_id: undefined } })],
    ["a scope that is no string", () => ({ claims: { scope: ["read:donations"] } })],
    ["a critical header that we do not know (RFC 7515 4.1.11)", () => ({ header: { crit: ["urn"], urn: true } })],
  ];
  test.for(wrong)("a token with %s is refused with invalid_token, though signed with the server's key", async ([, changes], context) => {
    const key = await keyOr(context);
    const token = await forged(await genuine(), key, changes()).catch((error: Error) => {
      throw new Error(`the test could not sign it: ${error.message}`);
    });
    await expectRefused(token);
  });

  test("an expired token is refused with token_expired", async (context) => {
    for (const age of [1, 60, 100_000])
      expectProblem(await me({ key: await forge(context, { claims: { exp: now() - age } }) }), 401, "token_expired");
  });

  test("a token that expires while it is in use is refused from then on", async (context) => {
    const exp = now() + 2;
    const key = await forge(context, { claims: { exp } });
    if (Date.now() < exp * 1000 - 200) expect((await me({ key })).status).toBe(200);
    await sleep(Math.max(0, exp * 1000 - Date.now()) + 50);
    expectProblem(await me({ key }), 401, "token_expired");
  });
});

/** Calls `make` once and keeps its result. */
function once<T, A extends unknown[]>(make: (...given: A) => Promise<T>): (...given: A) => Promise<T> {
  let made: Promise<T> | undefined;
  return (...given) => (made ??= make(...given));
}
