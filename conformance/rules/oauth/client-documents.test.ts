import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { me } from "../../harness/client/api.ts";
import { call, dataOf, resultOf } from "../../harness/client/mcp.ts";
import { newVisitor, type Page, type Visitor, visit } from "../../harness/client/page-visitor.ts";
import { approve, authorizationPath, decide, newLogin } from "../../harness/oauth/authorization.ts";
import { type DocumentSite, openDocumentSite, siteOf } from "../../harness/oauth/client-documents.ts";
import { challengeOf, exchange, expectError, needsClients, newVerifier, refresh, tokensOf } from "../../harness/oauth/oauth-client.ts";
import { cli } from "../../harness/server/operator.ts";
import { type Process, startProcess } from "../../harness/server/process.ts";
import { type Client, operatorOf, target } from "../../harness/server/target.ts";

// Clients that describe themselves (draft-ietf-oauth-client-id-metadata-document). The rules begin with the server under test, which
// fetches from the open internet alone, and go on with a process that fetches from this machine.

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
  needsClients(context as never);
  siteOf(context as never, site);
});

const here = (): DocumentSite => site as DocumentSite;
const clientAt = (id: string): Client => ({ id, secret: null, name: "", redirectUris: [callback], scopes: [] });
const pkce = (verifier: string) => ({ code_challenge: challengeOf(verifier), code_challenge_method: "S256" });
const ask = (id: string, parameters = {}, browser = visitor): Promise<Page> =>
  visit(browser, authorizationPath(clientAt(id), { ...pkce(newVerifier()), ...parameters }));

function expectRefused(page: Page, reason: RegExp): void {
  expect([page.reply.status, page.location], page.reply.text).toEqual([400, null]);
  expect(page.reply.text).toMatch(reason);
}

describe("the server under test fetches nothing", () => {
  test.each([
    ["from this machine by name", "https://localhost/client.json", /could not be fetched/],
    ["from a port of this machine", () => `${here().url}/client.json`, /must not name a port/],
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
  ])("%s", async (_, id, reason) => {
    const before = [...here().calls];
    const address = typeof id === "function" ? id() : id;
    expectRefused(await ask(address, {}, newVisitor()), reason);
    expect([...here().calls]).toEqual(before);
  });

  test.each(["http://client.invalid/client.json", "file:///etc/passwd", "ftp://client.invalid/a"])(
    "from %s: that is no client",
    async (id) => expectRefused(await ask(id, {}, newVisitor()), /no client has it/),
  );
});

describe("a client that describes itself", () => {
  test("is let in by the streamer, gets tokens, and uses them at /mcp; the page shows its host first", async () => {
    const id = here().put("/assistant.json", described);
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

  test("is one application, however often it is let in, and may change its document", async () => {
    const path = "/renamed.json";
    const id = here().put(path, described);
    const application = async (): Promise<{ id: string }> => {
      const verifier = newVerifier();
      const location = await approve(authorizationPath(clientAt(id), pkce(verifier)), visitor);
      const { access_token } = tokensOf(await exchange(clientAt(id), { code: String(location.searchParams.get("code")), verifier }));
      return ((await me({ key: access_token })).body as { data: { application: { id: string } } }).data.application;
    };
    const first = await application();
    expect((await application()).id).toBe(first.id);
    expect(here().calls.get(path), "it is kept for a while").toBe(1);
  });

  test("has no tokens before a streamer has let it in", async () => {
    const id = here().put("/nobody.json", described);
    await ask(id);
    expectError(await exchange(clientAt(id), { code: "x", verifier: newVerifier() }), "invalid_client");
  });

  test.for<[string, Record<string, string | undefined>, RegExp]>([
    ["without a code_challenge", { code_challenge: undefined, code_challenge_method: undefined }, /code_challenge is missing/],
    ["with a plain code_challenge", { code_challenge_method: "plain" }, /code_challenge_method/],
    ["without a response_type", { response_type: undefined }, /response_type/],
    ["with an unknown response_type", { response_type: "x" }, /response_type/],
    ["with an unknown scope", { scope: "admin" }, /scope/],
    ["for another resource", { resource: "https://evil.example/" }, /Tokens can be had/],
  ])("a faulty request, %s, gets a page and never a redirect (RFC 9700 4.11.2)", async ([, parameters, reason]) => {
    const id = here().put("/phish.json", { ...described, redirect_uris: ["https://phish.example/"] });
    for (const browser of [newVisitor(local?.url), visitor])
      expectRefused(await ask(id, { redirect_uri: "https://phish.example/", ...parameters }, browser), reason);
  });

  test.each(["state", "scope", "response_type"])("a repeated %s gets a page and never a redirect (RFC 9700 4.11.2)", async (name) => {
    const id = here().put("/repeated.json", described);
    const path = authorizationPath(clientAt(id), pkce(newVerifier()));
    for (const browser of [newVisitor(local?.url), visitor])
      expectRefused(await visit(browser, `${path}&${name}=x&${name}=`), new RegExp(`${name} must not be repeated`));
  });

  test("a streamer who declines is sent back with access_denied", async () => {
    const id = here().put("/declined.json", described);
    const { location } = await decide(visitor, await ask(id), "deny");
    expect([location?.origin, location?.searchParams.get("error")]).toEqual(["http://127.0.0.1", "access_denied"]);
  });

  test("is sent only where its document says, exactly", async () => {
    const id = here().put("/exact.json", { ...described, redirect_uris: ["https://client.example/callback"] });
    for (const redirect_uri of [
      "https://client.example/callback/",
      "https://client.example/other",
      "https://evil.example/callback",
      callback,
    ])
      expectRefused(await ask(id, { redirect_uri }), /redirect_uri/);
  });

  test("has no name that passes for markup or for another page", async () => {
    const id = here().put("/markup.json", { ...described, client_name: "<b>Namjai</b>\u202Efake" });
    const { reply } = await ask(id);
    expect(reply.status).toBe(200);
    expect(reply.text).toContain("&lt;b&gt;Namjai");
    expect(reply.text).not.toContain("<b>Namjai");
  });

  test("can be shut out by the operator", async (context) => {
    const id = here().put("/removed.json", described);
    await approve(authorizationPath(clientAt(id), pkce(newVerifier())), visitor);
    await cli(operatorOf(context), "clients", "remove", id);
    expectRefused(await ask(id), /no client has it/);
  });

  test("another's address does not make it another: the document names itself", async () => {
    const id = here().put("/thief.json", { ...described, client_id: `${here().url}/assistant.json` });
    expectRefused(await ask(id), /client_id must be/);
  });
});

describe("a document is refused", () => {
  test("that redirects, and where it leads is not asked", async () => {
    const goal = here().put("/goal.json", described);
    const id = here().put("/redirect.json", (_, response) => response.writeHead(302, { Location: goal }).end());
    expectRefused(await ask(id), /302/);
    expect(here().calls.get("/goal.json")).toBeUndefined();
  });

  test("that is not there, each time anew", async () => {
    const id = `${here().url}/missing.json`;
    for (const times of [1, 2]) {
      expectRefused(await ask(id), /404/);
      expect(here().calls.get("/missing.json")).toBe(times);
    }
  });

  test("that is large, and not read to its end", async () => {
    let sent = 0;
    const id = here().put("/large.json", async (_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      for (; sent < 50_000_000 && !response.destroyed; sent += 100_000) {
        response.write(" ".repeat(100_000));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      response.end();
    });
    expectRefused(await ask(id), /larger than 10 KiB/);
    expect(sent).toBeLessThan(20_000_000);
  });

  test("that comes drop by drop", async () => {
    const id = here().put("/slow.json", (_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const timer = setInterval(() => response.write(" "), 200);
      response.once("close", () => clearInterval(timer));
    });
    expectRefused(await ask(id), /in time/);
  });

  test("that never comes", async () => {
    const id = here().put("/silent.json", () => {});
    expectRefused(await ask(id), /in time/);
  });

  test.each([
    ["of another type", "text/html", "<p>", /media type/],
    ["that is no JSON", "application/json", "{", /not JSON/],
    ["that is a list", "application/json", "[]", /not a JSON object/],
  ])("%s", async (_, type, text, reason) => {
    const id = here().put(`/odd-${text.length}-${type.length}.json`, (_, response) =>
      response.writeHead(200, { "Content-Type": type }).end(text),
    );
    expectRefused(await ask(id), reason);
  });

  test("whose certificate nobody trusts", async (context) => {
    const stranger = siteOf(context, await openDocumentSite());
    expectRefused(await ask(stranger.put("/client.json", described)), /could not be fetched/);
    expect([...stranger.calls]).toEqual([]);
    stranger.close();
  });
});

describe("limits", () => {
  test("a document that takes 2 seconds is fetched while 20 of strangers never arrive: its 5 seconds begin with its own connection", async () => {
    const slow = Array.from({ length: 20 }, (_, index) => here().put(`/stranger-${index}.json`, () => {}));
    const strangers = Promise.all(slow.map((id) => ask(id)));
    await expect.poll(() => slow.filter((id) => here().calls.has(new URL(id).pathname)).length).toBeGreaterThanOrEqual(8);
    const id = here().put("/honest.json", async (_, response) => {
      await sleep(2_000);
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ client_id: `${here().url}/honest.json`, ...described }));
    });
    const { reply } = await ask(id);
    expect(reply.status, reply.text).toBe(200);
    for (const page of await strangers) expectRefused(page, /in time/);
  });

  test("an address can make us fetch 30 documents a minute", async (context) => {
    const log = { CLIENT_DOCUMENTS: "local", NODE_EXTRA_CA_CERTS: here().certificate, RATE_LIMITS: "client-document=3/60" };
    const limited = await startProcess(operatorOf(context), "client-documents-limited", log);
    const stranger = newVisitor(limited.url);
    for (let index = 0; index < 3; index += 1) expectRefused(await ask(`${here().url}/limit-${index}.json`, {}, stranger), /404/);
    const { reply } = await ask(`${here().url}/limit-4.json`, {}, stranger);
    expect([reply.status, reply.headers["retry-after"]]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(here().calls.get("/limit-4.json")).toBeUndefined();
    await limited.stop();
  });

  test("where they are off, no address is a client, and the metadata says so", async (context) => {
    const off = await startProcess(operatorOf(context), "client-documents-off", { CLIENT_DOCUMENTS: "off" });
    expectRefused(await ask(here().put("/off.json", described), {}, newVisitor(off.url)), /no client has it/);
    const metadata = await (await fetch(`${off.url}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: false });
    await off.stop();
  });
});
