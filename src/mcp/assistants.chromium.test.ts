// Applications that get tokens: one that a streamer registers in the studio, from its registration to the last token, and AI assistants that know only the
// address of /mcp. The official MCP client discovers the rest, identifies itself by a client document, and the streamer approves it.

import { auth, type OAuthClientProvider } from "@modelcontextprotocol/client";
import { type OAuthClientProvider as FirstProvider, auth as firstAuth } from "@modelcontextprotocol/sdk/client/auth.js";
import { afterAll, beforeAll, beforeEach, describe, expect, type TestContext, test } from "vitest";
import { type Application, startApplication } from "../../conformance/meta/browser/application.ts";
import { followLink, openTab, phone, sendForm, type Tab, takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
import { expectedMessages, expectUsableLayout, looksRight, screens } from "../../conformance/meta/browser/page-checks.ts";
import { expectRevoked, logIn, newLogin } from "../../conformance/meta/browser/streamers.ts";
import { me } from "../../conformance/suite/client/api.ts";
import { connectWith, dataOf, generations, type McpClient, type Result } from "../../conformance/suite/client/mcp.ts";
import { authorizationPath, loginOf } from "../../conformance/suite/client/oauth/authorization.ts";
import { type DocumentSite, openDocumentSite, siteOf } from "../../conformance/suite/client/oauth/client-documents.ts";
import { challengeOf, exchange, needsClients, newVerifier, tokensOf } from "../../conformance/suite/client/oauth/oauth-client.ts";
import { type Process, startIndependent } from "../../conformance/suite/servers/start-server.ts";
import { freshKey } from "../../conformance/suite/values/donations.ts";
import { remember } from "../../conformance/suite/values/redact.ts";
import { target } from "../../conformance/suite/values/target.ts";

// Password checks are slow on purpose, and each screen has its own streamer.

let application: Application;
let site: DocumentSite | null = null;
let server: Process | null = null;

beforeAll(async () => {
  const { operator } = target();
  application = await startApplication();
  site = operator && (await openDocumentSite());
  if (operator && site)
    server = await startIndependent(operator, "mcp-browser", { CLIENT_DOCUMENTS: "local", NODE_EXTRA_CA_CERTS: site.certificate });
});

afterAll(async () => {
  application?.close();
  await server?.stop();
  site?.close();
});

beforeEach(() => void application.calls.splice(0));

const submit = (tab: Tab, path: string) => sendForm(tab, tab.page.locator(`form[action$='${path}'] button`));

/** Unfolds the part of the page that has this form, with or without scripts. */
async function unfoldForm({ page }: Tab, path: string): Promise<void> {
  const folded = page.locator("details:not([open])", { has: page.locator(`form[action$='${path}']`) });
  if (await folded.count()) await folded.locator("summary").click();
}

async function secretOf({ page }: Tab): Promise<string> {
  const secret = await page.locator("#secret").inputValue();
  remember(secret);
  return secret;
}

test.each(screens)(
  "a streamer registers an application, which another streamer approves with a warning, and deletes it with all its tokens: %s",
  async (screen, options) => {
    const tab = await openTab(options);
    const { page } = tab;
    const { handle } = await newLogin(tab, "/studio/apps");
    await page.locator("input[name=name]").fill("Namjai lights");
    await page.locator("textarea[name=redirectUris]").fill(`${application.redirectUri}\nhttps://*.lights.example/`);
    await submit(tab, "/studio/apps");
    await page.waitForSelector("[role=alert]");
    await expect.poll(() => page.locator("#field-name-fault").textContent()).toContain("name of this platform");
    await expect.poll(() => page.locator("#field-redirectUris-fault").textContent()).toContain("compared exactly");
    await expect
      .poll(() => page.locator("textarea").inputValue(), { message: "what was typed is kept" })
      .toContain("https://*.lights.example/");
    await looksRight(tab, `studio-apps-wrong-${screen}`);
    await page.locator("input[name=name]").fill("Stage lights");
    await page.locator("textarea[name=redirectUris]").fill(application.redirectUri);
    await submit(tab, "/studio/apps");
    const secret = await secretOf(tab);
    const id = (await page.locator("main code").first().textContent()) ?? "";
    await looksRight(tab, `studio-app-secret-${screen}`);

    const other = await openTab(options);
    await newLogin(other);
    const verifier = newVerifier();
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: "S256" };
    const client = { id, secret, name: "Stage lights", redirectUris: [application.redirectUri], scopes: ["read:donations"] };
    await other.page.goto(
      target().url + authorizationPath(client, { redirect_uri: application.redirectUri, scope: "read:donations", ...pkce }),
    );
    await expect.poll(() => other.page.locator("main").textContent()).toContain(`Registered by ${handle}, not checked by`);
    await looksRight(other, `consent-own-app-${screen}`);
    await sendForm(other, other.page.locator("button[name=decision][value=approve]"));
    expect(other.page.url()).toContain(application.redirectUri);
    const code = application.calls[0]?.searchParams.get("code") ?? "";
    const { access_token } = tokensOf(await exchange(client, { code, verifier, redirectUri: application.redirectUri }));
    expect((await me({ key: access_token })).status).toBe(200);
    await other.context.close();

    await followLink(tab, page.locator("main a").last());
    await unfoldForm(tab, "/studio/apps/rotate");
    await submit(tab, "/studio/apps/rotate");
    await expect.poll(() => secretOf(tab)).not.toBe(secret);
    await followLink(tab, page.locator("main a").last());
    await unfoldForm(tab, "/studio/apps/change");
    await page.locator("input[name=name]").fill("Stage lights 2");
    await submit(tab, "/studio/apps/change");
    await page.locator("main > [role=status]").waitFor();
    await looksRight(tab, `studio-app-${screen}`);
    await followLink(tab, page.locator("main a").first());
    await page.getByText("Stage lights 2").waitFor();
    await looksRight(tab, `studio-apps-${screen}`);
    await followLink(tab, page.locator("main .cards a").first());
    await unfoldForm(tab, "/studio/apps/delete");
    await submit(tab, "/studio/apps/delete");
    await page.getByText("You have registered no applications").waitFor();
    await expectRevoked(access_token);
    expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
    await tab.context.close();
  },
);

/** Skips a rule of assistants where no client can be registered, or no client document be published. */
function needsDocuments(context: TestContext): void {
  needsClients(context as never);
  siteOf(context as never, site);
}

/** The OAuth provider of the MCP client, in memory. `asked`: the addresses to which the client sent the browser. */
type Kept = { asked: URL[]; tokens: { access_token: string; scope?: string }[]; provider: OAuthClientProvider };

function newAssistant(): Kept {
  const { redirectUri } = application;
  const clientMetadata = { client_name: "Assistant", redirect_uris: [redirectUri] };
  const clientMetadataUrl = (site as DocumentSite).put(`/${freshKey()}.json`, clientMetadata);
  const asked: URL[] = [];
  const tokens: Kept["tokens"] = [];
  const kept: Record<string, unknown> = {};
  const provider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    clientMetadataUrl,
    clientMetadata,
    state: () => "ทดสอบ",
    clientInformation: () => kept.client as never,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => tokens.at(-1) as never,
    saveTokens: (given) => {
      remember(given.access_token, given.refresh_token);
      tokens.push(given);
    },
    saveDiscoveryState: (state) => void (kept.discovery = state),
    discoveryState: () => kept.discovery as never,
    redirectToAuthorization: (url) => void asked.push(url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => String(kept.verifier),
  };
  return { asked, tokens, provider };
}

const base = (): string => server?.url ?? "";

const serverUrl = (): string => `${base()}/mcp`;

/** Approves as the streamer. Returns the parameters with which the browser came back to the application. */
async function approve(tab: Tab, url: URL): Promise<URLSearchParams> {
  await tab.page.goto(url.href);
  if ((await tab.page.locator("input[name=password]").count()) > 0) await logIn(tab, loginOf("main"));
  await sendForm(tab, tab.page.locator("button[name=decision][value=approve]"));
  expect(tab.page.url()).toContain(application.redirectUri);
  return (application.calls.at(-1) as URL).searchParams;
}

/** Passes the authorization code to the client. */
async function finish(generation: string, { provider }: Kept, told: URLSearchParams): Promise<void> {
  const authorizationCode = String(told.get("code"));
  remember(authorizationCode);
  if (generation === generations[0]) await firstAuth(provider as FirstProvider, { serverUrl: serverUrl(), authorizationCode });
  else await auth(provider, { serverUrl: serverUrl(), authorizationCode, iss: told.get("iss") ?? undefined });
}

const use = async (client: McpClient, name: string, given: Record<string, unknown> = {}): Promise<unknown> =>
  dataOf((await client.callTool({ name, arguments: given })) as Result);

describe.each(generations)("%s", (generation) => {
  test("the official MCP client connects by 401, metadata, consent and tokens for /mcp, then records a donation and reads statistics", async (context) => {
    needsDocuments(context);
    const assistant = newAssistant();
    const access = { authProvider: assistant.provider };
    await expect(connectWith(generation, base(), access)).rejects.toThrow(/unauthorized/i);
    const [url] = assistant.asked as [URL];
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: assistant.provider.clientMetadataUrl,
      resource: serverUrl(),
      code_challenge_method: "S256",
    });

    const tab = await openTab(phone);
    await tab.page.goto(url.href);
    await logIn(tab, loginOf("main"));
    await tab.page.waitForSelector("button[name=decision]");
    await expect.poll(() => tab.page.locator("h1").innerText()).toContain(`${new URL(site?.url ?? "").host} · Assistant`);
    await takeScreenshot(tab, "consent-of-an-assistant-phone");
    await expectUsableLayout(tab);
    const told = await approve(tab, url);
    expect([told.get("state"), told.get("iss")]).toEqual(["ทดสอบ", base()]);
    await finish(generation, assistant, told);
    expect(tab.complaints).toEqual([]);
    await tab.context.close();

    const client = await connectWith(generation, base(), access);
    const count = async (): Promise<number> => ((await use(client, "get_donation_stats")) as { count: number }).count;
    const before = await count();
    const given = { donatorName: "ผู้ช่วย", amount: 99, idempotencyKey: freshKey(), skipAlert: true };
    expect(await use(client, "create_donation", given)).toMatchObject({ ...given, source: "external" });
    expect(await count()).toBeGreaterThan(before);
    await client.close();
    const abroad = await fetch(`${base()}/api/v1/me`, { headers: { Authorization: `Bearer ${assistant.tokens[0]?.access_token}` } });
    expect(abroad.status, "its token is for /mcp only").toBe(401);
  });
});

test("calling a tool that needs more scopes makes the client ask the streamer for them", async (context) => {
  needsDocuments(context);
  const generation = generations[2] as string;
  const assistant = newAssistant();
  const access = { authProvider: assistant.provider };
  await expect(connectWith(generation, base(), access)).rejects.toThrow(/unauthorized/i);
  const tab = await openTab();
  const less = assistant.asked[0] as URL;
  less.searchParams.set("scope", "read:donations");
  await finish(generation, assistant, await approve(tab, less));

  const client = await connectWith(generation, base(), access);
  expect(await use(client, "get_donation_stats")).toBeDefined();
  const given = { donatorName: "ผู้ช่วย", amount: 99, idempotencyKey: freshKey(), skipAlert: true };
  await expect(use(client, "create_donation", given)).rejects.toThrow(/unauthorized/i);
  const more = assistant.asked[1] as URL;
  expect(more.searchParams.get("scope")?.split(" ").sort()).toEqual(["read:donations", "write:donations"]);
  await finish(generation, assistant, await approve(tab, more));
  expect(await use(client, "create_donation", given)).toMatchObject(given);
  await client.close();
  await tab.context.close();
});
