import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { allScopes } from "../../http/contract/published.ts";
import { clientDirectory, isDocumentAddress, readAddress, readDocument } from "./client-directory.ts";

const address = "https://client.example/mcp.json";
const good = { client_id: address, client_name: "Assistant", redirect_uris: ["http://127.0.0.1/callback"] };
const read = (members: object) => readDocument(new URL(address), JSON.stringify({ ...good, ...members }));

test("a client document with only client_id, client_name and redirect_uris is accepted", () =>
  expect(read({})).toEqual({
    id: address,
    name: "client.example · Assistant",
    public: true,
    redirectUris: ["http://127.0.0.1/callback"],
    scopes: allScopes,
    registeredBy: null,
    selfRegistered: false,
  }));

test("a client document's scopes are the scopes of this server that it names", () =>
  expect(read({ scope: "read:donations openid" }).scopes).toEqual(["read:donations"]));

test("unknown members of a client document are ignored, even one named __proto__", () => {
  const text = `${JSON.stringify({ ...good, logo_uri: "https://x.example/" }).slice(0, -1)},"__proto__":{"client_secret":"x"}}`;
  expect(readDocument(new URL(address), text).id).toBe(address);
});

test("the name of a client document is cut to 100 characters, with NUL replaced", () =>
  expect(read({ client_name: `\0${"น้ำใจ".repeat(100)}` }).name.length).toBeLessThan(130));

test.each([
  ["another client's id", { client_id: "https://other.example/mcp.json" }, /client_id/],
  ["no id", { client_id: undefined }, /client_id/],
  ["a secret", { client_secret: "x" }, /secret/],
  ["a way to authenticate that needs one", { token_endpoint_auth_method: "client_secret_basic" }, /token_endpoint_auth_method/],
  ["other grants", { grant_types: ["client_credentials"] }, /grant_types/],
  ["grants that are no list", { grant_types: "authorization_code" }, /grant_types/],
  ["other responses", { response_types: ["token"] }, /response_types/],
  ["no name", { client_name: " " }, /client_name/],
  ["no redirect URI", { redirect_uris: [] }, /redirect_uris/],
  ["a redirect URI that is none", { redirect_uris: [5] }, /redirect_uris/],
  ["a script for one", { redirect_uris: ["javascript:alert(1)"] }, /redirect URI/],
  ["one without TLS", { redirect_uris: ["http://client.example/callback"] }, /redirect URI/],
  ["no scope of ours", { scope: "openid" }, /scope/],
])("a client document with %s is refused", (_, members, message) => expect(() => read(members)).toThrow(message));

test.each(["", "[]", "null", "5", "{"])("the text %j is refused as a client document", (text) =>
  expect(() => readDocument(new URL(address), text)).toThrow(),
);

test("a failed fetch of a document fails every request that waits for it, and the next request fetches it again", async () => {
  let fetches = 0;
  const directory = clientDirectory({
    store: { find: async () => null, upsert: async () => {}, keep: async () => {}, isRemoved: async () => false },
    fetchDocument: async () => {
      fetches += 1;
      await sleep(50);
      throw new Error("it could not be fetched");
    },
    failures: null,
  });
  const asked = [directory.find(address, "::1"), sleep(10).then(() => directory.find(address, "::1"))];
  for (const outcome of await Promise.allSettled(asked)) expect(outcome).toMatchObject({ reason: { code: "validation_failed" } });
  expect(fetches).toBe(1);
  await expect(directory.find(address, "::1")).rejects.toMatchObject({ code: "validation_failed" });
  expect(fetches).toBe(2);
});

describe("address of a client document", () => {
  test.each(["https://client.example/mcp.json", "https://client.example/a/b?c=d"])(
    "the address %s of a client document is accepted",
    (good) => expect([isDocumentAddress(good), readAddress(good).href]).toEqual([true, good]),
  );

  test.each([
    "https://client.example",
    "https://client.example/",
    "https://client.example/a/../b",
    "https://client.example/%2e%2e/b",
    "https://client.example:443/a",
    "https://CLIENT.example/a",
    "https://user@client.example/a",
    "https://client.example/a#b",
    `https://client.example/${"a".repeat(600)}`,
    "https:///a",
  ])("the address %s of a client document is refused", (bad) => expect(() => readAddress(bad)).toThrow());

  test.each(["http://client.example/a", "f3kd82hs9Qmz71Lw", ""])("the client_id %j is not the address of a client document", (id) =>
    expect(isDocumentAddress(id)).toBe(false),
  );
});
