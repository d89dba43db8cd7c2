import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { me } from "../../suite/client/api.ts";
import { call, dataOf, resultOf } from "../../suite/client/mcp.ts";
import { approve, authorizationPath, decide, newLogin } from "../../suite/client/oauth/authorization.ts";
import { type DocumentSite, openDocumentSite, siteOf } from "../../suite/client/oauth/client-documents.ts";
import { challengeOf, exchange, expectError, newVerifier, refresh, tokensOf } from "../../suite/client/oauth/oauth-client.ts";
import { cli } from "../../suite/client/operator.ts";
import { newVisitor, type Page, type Visitor, visit } from "../../suite/client/page-visitor.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { type Client, operatorOf, target } from "../../suite/values/target.ts";

// OAuth clients with a client document (draft-ietf-oauth-client-id-metadata-document). The first rules use the server under test, which
// fetches from the public internet only; the others use a process that may fetch from this machine.

const callback = "http://127.0.0.1/callback";
const described = { client_name: "Assistant", redirect_uris: [callback] };

let site: DocumentSite | null = null;
let local: Process | null = null;
let visitor: Visitor;
beforeAll(async () => {
  const { operator } = target();
  site = operator && (await openDocumentSite());
  if (!operator || !site) return;
  local = await startProcess(operator, "client-documents", { CLIENT_DOCUMENTS: "local", NODE_EXTRA_CA_CERTS: site.certificate });
  visitor = await newLogin("main", local.url);
});
afterAll(async () => {
  await local?.stop();
  site?.close();
});
beforeEach((context) => {
  needsOwnProcess(context as never);
  siteOf(context as never, site);
});

const openSite = (): DocumentSite => site as DocumentSite;
const clientAt = (id: string): Client => ({ id, secret: null, name: "", redirectUris: [callback], scopes: [] });
const pkce = (verifier: string) => ({ code_challenge: challengeOf(verifier), code_challenge_method: "S256" });
const requestAuthorization = (id: string, parameters = {}, browser = visitor): Promise<Page> =>
  visit(browser, authorizationPath(clientAt(id), { ...pkce(newVerifier()), ...parameters }));

function expectRefused(page: Page, reason: RegExp): void {
  expect([page.reply.status, page.location], page.reply.text).toEqual([400, null]);
  expect(page.reply.text).toMatch(reason);
}

describe("the server under test fetches nothing", () => {
  test.each([
    ["from this machine by name", "https://localhost/client.json", /could not be fetched/],
    ["from a port of this machine", () => `${openSite().url}/client.json`, /must not name a port/],
    ["from a loopback address", "https://127.0.0.1/client.json", /must name a host/],
    ["from a loopback address of IPv6", "https://[::1]/client.json", /must name a host/],
    ["from a mapped address", "https://[::ffff:127.0.0.1]/client.json", /normalized|must name a host/],
    ["from an address in one number", "https://2130706433/client.json", /normalized/],
    ["from an address in hexadecimal", "https://0x7f000001/client.json", /normalized/],
    ["from a cloud's metadata", "https://169.254.169.254/latest/meta-data", /must name a host/],
    ["from a private network", "https://192.168.0.1/client.json", /must name a host/],
    ["with a password", "https://a:b@client.invalid/client.json", /must be an https URL/],
    ["without a path", "https://client.invalid/", /must be an https URL/],
    ["beyond a dot segment", "https://client.invalid/a/../client.json", /normalized/],
    ["from a host that does not exist", "https://client.invalid/client.json", /could not be fetched/],
  ])("a client document %s is refused and never fetched", async (_, id, reason) => {
    const before = [...openSite().calls];
    const address = typeof id === "function" ? id() : id;
    expectRefused(await requestAuthorization(address, {}, newVisitor()), reason);
    expect([...openSite().calls]).toEqual(before);
  });

  test.each(["http://client.invalid/client.json", "file:///etc/passwd", "ftp://client.invalid/a"])(
    "an address that is not https is no client: %s",
    async (id) => expectRefused(await requestAuthorization(id, {}, newVisitor()), /client_id is missing or unknown/),
  );
});

describe("a client that describes itself", () => {
  test("a client document's client gets tokens from a streamer's approval and uses them at /mcp; the page shows its host first", async () => {
    const id = openSite().put("/assistant.json", described);
    const verifier = newVerifier();
    const resource = `${target().url}/mcp`;
    const path = authorizationPath(clientAt(id), {
      ...pkce(verifier),
      resource,
      scope: "read:donations",
      redirect_uri: "http://127.0.0.1:5173/callback",
    });
    const page = await visit(visitor, path);
    expect(page.reply.text).toContain(`${new URL(id).host} · Assistant`);
    const { location } = await decide(visitor, page, "approve");
    const code = String(location?.searchParams.get("code"));
    const tokens = tokensOf(await exchange(clientAt(id), { code, verifier, redirectUri: "http://127.0.0.1:5173/callback", resource }));
    expect(tokens.scope).toBe("read:donations");
    const { application } = dataOf(resultOf(await call("get_me", {}, { key: tokens.access_token }))) as { application: { name: string } };
    expect(application.name).toBe(`${new URL(id).host} · Assistant`);
    expect(tokensOf(await refresh(clientAt(id), tokens.refresh_token)).scope).toBe("read:donations");
  });

  test("a client document's client is one application, however often it is approved, and may change its document", async () => {
    const path = "/renamed.json";
    const id = openSite().put(path, described);
    const application = async (): Promise<{ id: string }> => {
      const verifier = newVerifier();
      const location = await approve(authorizationPath(clientAt(id), pkce(verifier)), visitor);
      const { access_token } = tokensOf(await exchange(clientAt(id), { code: String(location.searchParams.get("code")), verifier }));
      return ((await me({ key: access_token })).body as { data: { application: { id: string } } }).data.application;
    };
    const first = await application();
    expect((await application()).id).toBe(first.id);
    expect(openSite().calls.get(path), "it is kept for a while").toBe(1);
  });

  test("a client document's client has no tokens before a streamer has approved it", async () => {
    const id = openSite().put("/nobody.json", described);
    await requestAuthorization(id);
    expectError(await exchange(clientAt(id), { code: "x", verifier: newVerifier() }), "invalid_client");
  });

  test.for<[string, Record<string, string | undefined>, RegExp]>([
    ["without a code_challenge", { code_challenge: undefined, code_challenge_method: undefined }, /code_challenge is missing/],
    ["with a plain code_challenge", { code_challenge_method: "plain" }, /code_challenge_method/],
    ["without a response_type", { response_type: undefined }, /response_type/],
    ["with an unknown response_type", { response_type: "x" }, /response_type/],
    ["with an unknown scope", { scope: "admin" }, /scope/],
    ["for another resource", { resource: "https://evil.example/" }, /The resource must be/],
  ])(
    "a faulty request of a client document's client, %s, gets a page and never a redirect (RFC 9700 4.11.2)",
    async ([, parameters, reason]) => {
      const id = openSite().put("/phish.json", { ...described, redirect_uris: ["https://phish.example/"] });
      for (const browser of [newVisitor(local?.url), visitor])
        expectRefused(await requestAuthorization(id, { redirect_uri: "https://phish.example/", ...parameters }, browser), reason);
    },
  );

  test.each(["state", "scope", "response_type"])(
    "a repeated %s of a client document's client gets a page and never a redirect (RFC 9700 4.11.2)",
    async (name) => {
      const id = openSite().put("/repeated.json", described);
      const path = authorizationPath(clientAt(id), pkce(newVerifier()));
      for (const browser of [newVisitor(local?.url), visitor])
        expectRefused(await visit(browser, `${path}&${name}=x&${name}=`), new RegExp(`${name} must not be repeated`));
    },
  );

  test("a streamer who denies a client document's client is sent back with access_denied", async () => {
    const id = openSite().put("/declined.json", described);
    const { location } = await decide(visitor, await requestAuthorization(id), "deny");
    expect([location?.origin, location?.searchParams.get("error")]).toEqual(["http://127.0.0.1", "access_denied"]);
  });

  test("a code is sent only to the exact redirect URIs of the client document", async () => {
    const id = openSite().put("/exact.json", { ...described, redirect_uris: ["https://client.example/callback"] });
    for (const redirect_uri of [
      "https://client.example/callback/",
      "https://client.example/other",
      "https://evil.example/callback",
      callback,
    ])
      expectRefused(await requestAuthorization(id, { redirect_uri }), /redirect_uri/);
  });

  test("a client document's name cannot pass for markup or for another page", async () => {
    const id = openSite().put("/markup.json", { ...described, client_name: "<b>Namjai</b>\u202Efake" });
    const { reply } = await requestAuthorization(id);
    expect(reply.status).toBe(200);
    expect(reply.text).toContain("&lt;b&gt;Namjai");
    expect(reply.text).not.toContain("<b>Namjai");
  });

  test("an operator can lock out a client document's client", async (context) => {
    const id = openSite().put("/removed.json", described);
    await approve(authorizationPath(clientAt(id), pkce(newVerifier())), visitor);
    await cli(operatorOf(context), "clients", "remove", id);
    expectRefused(await requestAuthorization(id), /client_id is missing or unknown/);
  });

  test("a client document that names another address is refused", async () => {
    const id = openSite().put("/thief.json", { ...described, client_id: `${openSite().url}/assistant.json` });
    expectRefused(await requestAuthorization(id), /client_id must be/);
  });
});

describe("a document is refused", () => {
  test("a client document that redirects is refused, and the redirect is not followed", async () => {
    const goal = openSite().put("/goal.json", described);
    const id = openSite().put("/redirect.json", (_, response) => response.writeHead(302, { Location: goal }).end());
    expectRefused(await requestAuthorization(id), /302/);
    expect(openSite().calls.get("/goal.json")).toBeUndefined();
  });

  test("a client document that does not exist is refused, and fetched anew for each request", async () => {
    const id = `${openSite().url}/missing.json`;
    for (const times of [1, 2]) {
      expectRefused(await requestAuthorization(id), /404/);
      expect(openSite().calls.get("/missing.json")).toBe(times);
    }
  });

  test("a client document that is too large is refused and not read to its end", async () => {
    let sent = 0;
    const id = openSite().put("/large.json", async (_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      for (; sent < 50_000_000 && !response.destroyed; sent += 100_000) {
        response.write(" ".repeat(100_000));
        await sleep(1);
      }
      response.end();
    });
    expectRefused(await requestAuthorization(id), /larger than 10 KiB/);
    expect(sent).toBeLessThan(20_000_000);
  });

  test("a client document that arrives drop by drop is refused", async () => {
    const id = openSite().put("/slow.json", (_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const timer = setInterval(() => response.write(" "), 200);
      response.once("close", () => clearInterval(timer));
    });
    expectRefused(await requestAuthorization(id), /in time/);
  });

  test("a client document that never arrives is refused in time", async () => {
    const id = openSite().put("/silent.json", () => {});
    expectRefused(await requestAuthorization(id), /in time/);
  });

  test.each([
    ["of another type", "text/html", "<p>", /media type/],
    ["that is no JSON", "application/json", "{", /not JSON/],
    ["that is a list", "application/json", "[]", /not a JSON object/],
  ])("a client document %s is refused", async (_, type, text, reason) => {
    const id = openSite().put(`/odd-${text.length}-${type.length}.json`, (_, response) =>
      response.writeHead(200, { "Content-Type": type }).end(text),
    );
    expectRefused(await requestAuthorization(id), reason);
  });

  test("a client document behind an untrusted certificate is refused", async (context) => {
    const stranger = siteOf(context, await openDocumentSite());
    expectRefused(await requestAuthorization(stranger.put("/client.json", described)), /could not be fetched/);
    expect([...stranger.calls]).toEqual([]);
    stranger.close();
  });
});

describe("limits of client documents", () => {
  test("a client document that takes 2 seconds is fetched while 20 others never arrive: its 5 seconds begin with its own connection", async () => {
    const slow = Array.from({ length: 20 }, (_, index) => openSite().put(`/stranger-${index}.json`, () => {}));
    const strangers = Promise.all(slow.map((id) => requestAuthorization(id)));
    await expect.poll(() => slow.filter((id) => openSite().calls.has(new URL(id).pathname)).length).toBeGreaterThanOrEqual(8);
    const id = openSite().put("/honest.json", async (_, response) => {
      await sleep(2_000);
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ client_id: `${openSite().url}/honest.json`, ...described }));
    });
    const { reply } = await requestAuthorization(id);
    expect(reply.status, reply.text).toBe(200);
    for (const page of await strangers) expectRefused(page, /in time/);
  });

  test("a network address can make the server fetch 30 client documents a minute", async (context) => {
    const log = { CLIENT_DOCUMENTS: "local", NODE_EXTRA_CA_CERTS: openSite().certificate, RATE_LIMITS: "client-document=3/60" };
    const limited = await startProcess(operatorOf(context), "client-documents-limited", log);
    const stranger = newVisitor(limited.url);
    for (let index = 0; index < 3; index += 1)
      expectRefused(await requestAuthorization(`${openSite().url}/limit-${index}.json`, {}, stranger), /404/);
    const { reply } = await requestAuthorization(`${openSite().url}/limit-4.json`, {}, stranger);
    expect([reply.status, reply.headers["retry-after"]]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(openSite().calls.get("/limit-4.json")).toBeUndefined();
    await limited.stop();
  });

  test("no address is a client while client documents are off, and the metadata says so", async (context) => {
    const off = await startProcess(operatorOf(context), "client-documents-off", { CLIENT_DOCUMENTS: "off" });
    expectRefused(
      await requestAuthorization(openSite().put("/off.json", described), {}, newVisitor(off.url)),
      /client_id is missing or unknown/,
    );
    const metadata = await (await fetch(`${off.url}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: false });
    await off.stop();
  });
});
