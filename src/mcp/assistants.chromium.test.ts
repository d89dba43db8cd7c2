// AI assistants that know only the address of /mcp, and get tokens for it. The official MCP client discovers the rest, identifies itself by a client
// document, and the streamer approves it.

import { auth, type OAuthClientProvider } from "@modelcontextprotocol/client";
import { type OAuthClientProvider as FirstProvider, auth as firstAuth } from "@modelcontextprotocol/sdk/client/auth.js";
import { afterAll, beforeAll, beforeEach, describe, expect, type TestContext, test } from "vitest";
import { type Application, startApplication } from "../../conformance/meta/browser/application.ts";
import { openTab, phone, sendForm, type Tab, takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
import { expectUsableLayout } from "../../conformance/meta/browser/page-checks.ts";
import { logIn } from "../../conformance/meta/browser/streamers.ts";
import { connectWith, dataOf, generations, type McpClient, type Result } from "../../conformance/suite/client/mcp.ts";
import { loginOf } from "../../conformance/suite/client/oauth/authorization.ts";
import { type DocumentSite, openDocumentSite, siteOf } from "../../conformance/suite/client/oauth/client-documents.ts";
import { needsClients } from "../../conformance/suite/client/oauth/oauth-client.ts";
import { type Process, startIndependent } from "../../conformance/suite/servers/start-server.ts";
import { freshKey } from "../../conformance/suite/values/donations.ts";
import { remember } from "../../conformance/suite/values/redact.ts";
import { target } from "../../conformance/suite/values/target.ts";

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
