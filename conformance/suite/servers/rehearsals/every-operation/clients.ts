// What OAuth clients, streamers on their pages and MCP clients ask for.

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type Caller, somsri } from "./caller.ts";

export async function askPublic({ get }: Caller): Promise<void> {
  const known = ["jwks.json", "oauth-authorization-server", "oauth-protected-resource/mcp"].map((name) => `/.well-known/${name}`);
  for (const path of known) await get(path, { key: null });
  for (const path of ["me", "streaming-categories?q=pubg"]) await get(`/api/v1/${path}`);
}

/** A streamer lets an application in on the pages; it gets tokens, uses, refreshes and revokes them. */
export async function askOAuth({ send, get, url, handle, password, client, refuse }: Caller): Promise<void> {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id: client.id, redirect_uri: client.redirectUri, state: "xyz" },
    ...{ scope: "read:donations", code_challenge: challenge, code_challenge_method: "S256" },
  });
  const { visit, submit } = openVisitor(url);
  await get(`/oauth/authorize?${query}`, { key: null });
  await submit(await visit(`/oauth/authorize?${query}`), "/oauth/login", { handle, password });
  const { location } = await submit(await visit(`/oauth/authorize?${query}`), "/oauth/consent", { decision: "approve" });
  const code = location?.searchParams.get("code");
  if (!code) return refuse(`no code: ${location}`);
  const own = { client_id: client.id, client_secret: client.secret };
  const token = (parameters: object) => send("POST", "/oauth/token", { ...own, ...parameters }, { key: null });
  const first = await token({ grant_type: "authorization_code", code, redirect_uri: client.redirectUri, code_verifier: verifier });
  await get("/api/v1/me", { key: String(first.access_token) });
  const second = await token({ grant_type: "refresh_token", refresh_token: first.refresh_token });
  await send("POST", "/oauth/revoke", { ...own, token: second.refresh_token }, { key: null });
  await visit("/oauth/connections");
}

const pages = [
  "",
  "/queue",
  "/money",
  "/history",
  "/overlay",
  "/designer",
  "/settings",
  "/keys",
  "/webhooks",
  "/apps",
  "/import",
  "/privacy",
];

export async function askPages({ url, handle, password, refuse }: Caller): Promise<void> {
  const { visit, submit } = openVisitor(url);
  await submit(await visit("/studio"), "/oauth/login", { handle, password });
  for (const path of [...pages.map((page) => `/studio${page}`), "/studio/account", "/moderate"]) {
    const { status } = await visit(path);
    if (status !== 200) refuse(`${path}: ${status}`);
  }
}

export async function askMcp({ send, refuse }: Caller): Promise<void> {
  const headers = { Accept: "application/json, text/event-stream" };
  const rpc = (method: string, params: object) => send("POST", "/mcp", { jsonrpc: "2.0", id: 1, method, params }, { headers });
  await rpc("tools/list", {});
  const tools = {
    create_donation: { ...somsri, idempotencyKey: randomUUID() },
    list_donations: {},
    get_donation_stats: {},
    get_alert_queue: {},
    get_me: {},
  };
  for (const [name, given] of Object.entries(tools)) {
    const { result, error } = await rpc("tools/call", { name, arguments: given });
    if (error || (result as { isError?: boolean }).isError) refuse(`MCP ${name}: ${JSON.stringify(error ?? result)}`);
  }
}

// A browser without JavaScript for rehearsals: cookies, redirects, and forms with their hidden fields.

/** `location`: where the server sends the browser outside of itself. */
export type Page = Readonly<{ status: number; text: string; location: URL | null }>;

export type Visitor = {
  visit: (path: string) => Promise<Page>;
  /** Submits the form of the page that is sent to `action`. */
  submit: (page: Page, action: string, values: Record<string, string>) => Promise<Page>;
};

export function openVisitor(url: string): Visitor {
  const cookies = new Map<string, string>();
  const open = async (path: string, init: RequestInit = {}): Promise<Page> => {
    const headers = { ...(init.headers as object), Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const answer = await fetch(new URL(path, url), { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=;]*)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const [text, place] = [await answer.text(), answer.headers.get("location")];
    const location = place === null ? null : new URL(place, url);
    if (location?.origin === new URL(url).origin) return open(location.pathname + location.search);
    return { status: answer.status, text, location };
  };
  return {
    visit: open,
    submit: ({ text }, action, values) => {
      const body = new URLSearchParams({ ...hiddenFields(text, action), ...values });
      return open(action, { method: "POST", body, headers: { Origin: new URL(url).origin } });
    },
  };
}

function hiddenFields(text: string, action: string): Record<string, string> {
  const form = [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].find(([, head = ""]) => attribute(head, "action") === action);
  if (!form) throw new Error(`no form to ${action} in: ${text.slice(0, 500)}`);
  const inputs = [...(form[2] ?? "").matchAll(/<input\b([^>]*)>/gi)].map(([, input = ""]) => input);
  return Object.fromEntries(inputs.map((input) => [attribute(input, "name"), attribute(input, "value")]));
}

const attribute = (tag: string, name: string): string =>
  (new RegExp(`\\b${name}="([^"]*)"`, "i").exec(tag)?.[1] ?? "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
