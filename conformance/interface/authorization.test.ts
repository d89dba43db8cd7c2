import { describe, expect, test } from "vitest";
import { countAs } from "../suite/client/trace.ts";
import type { Reply, Request } from "../suite/contract/http-request.ts";
import { offline } from "../suite/contract/offline-rules.ts";
import { accessToken } from "../suite/models/any-client.ts";
import { createAny, donationWith, excerptOf, expectRefusal, isAccepted, isRefused } from "../suite/models/verdicts.ts";
import { donation } from "../suite/values/donations.ts";
import { tried } from "../suite/values/score.ts";
import { keyOf, target } from "../suite/values/target.ts";
import { inOtherCase } from "../suite/values/text.ts";

const body = (): string => donationWith({ skipAlert: "true" });

function createBy(request: Partial<Request>): Promise<Reply> {
  tried("Authorization");
  return createAny(body(), request);
}

/** Any 4xx: the interface shows no status of errors (interface 7). */
async function expectRefused(request: Partial<Request>): Promise<void> {
  expectRefusal(await createBy(request), "without a valid credential");
}

const header = (Authorization: string): Partial<Request> => ({ key: null, headers: { Authorization } });
const base64url = (text: string): string => Buffer.from(text).toString("base64url");
const claims = base64url('{"sub":"x","exp":4102444800,"scope":"write:donations"}');

/** Changes to a key: the secret's letters are in the middle and at the end, brand and version before them. */
const wrongKeys: [what: string, (key: string) => string][] = [
  ["cut short", (key) => key.slice(0, -1)],
  ["cut in half", (key) => key.slice(0, Math.ceil(key.length / 2))],
  ["with a letter behind it", (key) => `${key}A`],
  ["with one letter changed", (key) => changed(key, key.length - 10)],
  ["with another letter changed", (key) => changed(key, key.length - 5)],
  ["without its first letter", (key) => key.slice(1)],
  ["backwards", (key) => [...key].reverse().join("")],
  ["twice", (key) => key + key],
  ["twice, with a comma between", (key) => `${key},${key}`],
  ["in quotation marks", (key) => `"${key}"`],
  ["with small letters for capitals, and capitals for small ones", inOtherCase],
  ["with a blank and a word behind it", (key) => `${key} x`],
];

/** Headers that hold a valid credential, and are no `Bearer <token>`. */
const otherHeaders: [what: string, (key: string) => string][] = [
  ["without a scheme", (key) => key],
  ["with the scheme Token", (key) => `Token ${key}`],
  ["with the scheme Basic", (key) => `Basic ${key}`],
  ["as the user name of Basic", (key) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`],
  ["with a scheme that was made up", (key) => `Xyz ${key}`],
  ["with nothing between scheme and token", (key) => `Bearer${key}`],
  ["with a scheme that ends in Bearer", (key) => `XBearer ${key}`],
  ["with the scheme Apikey, which is as long as Bearer", (key) => `Apikey ${key}`],
  ["as Bearer <token> behind a credential of Basic and a comma", (key) => `Basic eDp5, Bearer ${key}`],
];

const changed = (key: string, at: number): string => key.slice(0, at) + (key[at] === "a" ? "b" : "a") + key.slice(at + 1);

const garbage: [what: string, key: string][] = [
  ["a word", "null"],
  ["one letter", "x"],
  ["a key that was made up", `brand_v1_${"a".repeat(46)}`],
  ["a prefix alone", "brand_v1_"],
  ["2000 letters", "a".repeat(2000)],
  ["something like SQL", "'or'1'='1"],
  ["a JWT that nobody signed", `${base64url('{"alg":"none","typ":"at+jwt"}')}.${claims}.`],
  ["a JWT with a made-up signature", `${base64url('{"alg":"ES256","typ":"at+jwt"}')}.${claims}.${"A".repeat(86)}`],
  ["two dots", ".."],
];

describe("authorization", () => {
  test("an API key or access token with write:donations creates donations (interface 5.2)", async () => {
    const reply = await createBy({});
    expect(isAccepted(reply), excerptOf(reply)).toBe(true);
  });

  test("the credential of this run is an API key, <brand>_v1_…, or a JWT (interface 5.2, 9.1)", offline, () =>
    expect(/^.+_v1_.+$/.test(target().keys.main) || /^[\w-]+\.[\w-]+\.[\w-]+$/.test(target().keys.main)).toBe(true),
  );

  test("a request without a credential is refused (interface 4.1)", () => expectRefused({ key: null }));

  test.each(["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Digest username=x", "null"])(
    "an Authorization header without a bearer token is refused: %j (interface 5.1)",
    (value) => expectRefused(header(value)),
  );

  test.each(garbage)("a bearer token that was never issued is refused: %s (interface 5.2)", (_, key) => expectRefused({ key }));

  test.each(wrongKeys)("a valid credential %s is refused (interface 5.2)", (what, change) =>
    expectRefused({ key: countAs(`key ${what}`, change(target().keys.main)) }),
  );

  test.each(otherHeaders)("a valid credential %s is refused: the header is Bearer <token> (interface 5.1)", (_, write) =>
    expectRefused(header(write(target().keys.main))),
  );

  test("a valid API key with another version in it is refused (interface 9.1)", (context) => {
    const { main } = target().keys;
    if (!main.includes("_v1_")) context.skip("not run: API_KEY is no API key");
    return expectRefused({ key: countAs("key of version 2", main.replace("_v1_", "_v2_")) });
  });

  test("a credential outside of the Authorization header is not accepted (interface 5.1)", async () => {
    const { main } = target().keys;
    for (const name of ["access_token", "api_key", "token"])
      await expectRefused({ key: null, path: `/api/v1/donations?${name}=${encodeURIComponent(main)}` });
    await expectRefused({ key: null, headers: { Cookie: `access_token=${main}`, "X-Api-Key": main } });
  });

  test("no body is accepted without a credential, whatever it says (interface 5.1)", async () => {
    for (const text of [JSON.stringify(donation({ amount: 0 })), "{", "", "null"]) await expectRefused({ key: null, body: text });
  });

  test("the scope write:donations alone is enough to create a donation (interface 5.3)", async (context) => {
    const reply = await createBy({ key: keyOf(context, "writeOnly") });
    expect(isAccepted(reply), excerptOf(reply)).toBe(true);
  });

  test("a credential without write:donations creates no donation (interface 5.3)", async (context) => {
    const reply = await createBy({ key: keyOf(context, "readOnly") });
    expect(isRefused(reply), excerptOf(reply)).toBe(true);
  });

  test("an OAuth access token is a JWT, and creates donations (interface 5.2)", async (context) => {
    const token = await accessToken(context, "OAUTH_ACCESS_TOKEN");
    expect(token.split(".").length).toBe(3);
    const reply = await createBy({ key: token });
    expect(isAccepted(reply), excerptOf(reply)).toBe(true);
  });

  test("an OAuth access token with a letter changed or without its signature is refused (interface 5.2)", async (context) => {
    const [head = "", inside = "", signature = ""] = (await accessToken(context, "OAUTH_ACCESS_TOKEN")).split(".");
    const spoilt = { claims: [head, changed(inside, 10), signature], signature: [head, inside, changed(signature, 10)] };
    const unsigned = [base64url('{"alg":"none"}'), inside, ""];
    for (const [what, parts] of Object.entries({ ...spoilt, unsigned }))
      await expectRefused({ key: countAs(`token, ${what}`, parts.join(".")) });
  });
});
