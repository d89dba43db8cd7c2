// Asks a server for every operation of the contract once, and for what streamers do on its pages, through MCP and on the command line.

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { onEventBlock } from "../../../client/events/event-stream.ts";
import { cli } from "../../../client/operator.ts";
import { pngOf } from "../../../values/media.ts";
import { type Asked, type Caller, donate, donations, openCaller, type Pagination, type Streamer, somsri, until } from "./caller.ts";

// What OAuth clients, streamers on their pages and MCP clients ask for.

async function askPublic({ get }: Caller): Promise<void> {
  const known = ["jwks.json", "oauth-authorization-server", "oauth-protected-resource/mcp"].map((name) => `/.well-known/${name}`);
  for (const path of known) await get(path, { key: null });
  for (const path of ["me", "streaming-categories?q=pubg"]) await get(`/api/v1/${path}`);
}

/** A streamer lets an application in on the pages; it gets tokens, uses, refreshes and revokes them. */
async function askOAuth({ send, get, url, handle, password, client, refuse }: Caller): Promise<void> {
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

async function askPages({ url, handle, password, refuse }: Caller): Promise<void> {
  const { visit, submit } = openVisitor(url);
  await submit(await visit("/studio"), "/oauth/login", { handle, password });
  for (const path of [...pages.map((page) => `/studio${page}`), "/studio/account", "/moderate"]) {
    const { status } = await visit(path);
    if (status !== 200) refuse(`${path}: ${status}`);
  }
}

async function askMcp({ send, refuse }: Caller): Promise<void> {
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
type Page = Readonly<{ status: number; text: string; location: URL | null }>;

type Visitor = {
  visit: (path: string) => Promise<Page>;
  /** Submits the form of the page that is sent to `action`. */
  submit: (page: Page, action: string, values: Record<string, string>) => Promise<Page>;
};

function openVisitor(url: string): Visitor {
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

export async function askEverything(streamer: Streamer): Promise<Asked> {
  const { caller, asked } = openCaller(streamer);
  for (const step of [askPublic, askWebhooks, askDonations, askAlerts, askEvents, askOAuth, askPages, askMcp, undoImport, eraseDonator])
    await step(caller).catch((error: Error) => caller.refuse(`${step.name}: ${error.stack}`));
  return asked();
}

// Records, lists, imports, voids and erases donations, and delivers their events.

async function askDonations(caller: Caller): Promise<void> {
  const { send, get } = caller;
  const id = await donate(caller);
  const idempotencyKey = randomUUID();
  for (const _ of [1, 2]) await donate(caller, { idempotencyKey });
  const lines = ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"].map((createdAt) => JSON.stringify({ ...somsri, createdAt }));
  await send("POST", `${donations}/batch`, `${lines.join("\n")}\n`, { type: "application/x-ndjson" });
  const reports = ["stats", "top-donators", "breakdown", "trends/amount?interval=day", "trends/count?interval=day", "export"];
  const sorts = ["createdAt", "-createdAt", "receivedAt", "-receivedAt", "amount", "-amount"].map((sort) => `?sort=${sort}`);
  const filters = ["?identifier=somsri&minAmount=1", "?status=all&channel=external", "?source=test"];
  for (const path of ["", ...sorts, ...filters, `/${id}`, "/search?q=somsri", ...reports.map((report) => `/${report}`)])
    await get(`${donations}${path}`);
  const { nextCursor } = (await get(`${donations}?limit=1`)).pagination as Pagination;
  await get(`${donations}?limit=1&cursor=${nextCursor}`);
  await send("POST", `${donations}/${id}/void`, { reason: "mistake" });
}

async function askEvents(caller: Caller): Promise<void> {
  const { send, get, listen, key } = caller;
  const { nextCursor } = (await get("/api/v1/events?limit=2")).pagination as Pagination;
  await get(`/api/v1/events?limit=2&after=${nextCursor}`);
  await send("POST", "/api/v1/events/tickets");
  const stream = await listen(`/api/v1/events/stream?after=${nextCursor}`, key);
  let told = "";
  onEventBlock(stream, (block) => void (told += block));
  const id = await donate(caller);
  await until(async () => told.includes(id), "the event of a donation").finally(() => stream.destroy());
}

async function askWebhooks(caller: Caller): Promise<void> {
  const { send, get, receiver } = caller;
  const webhooks = "/api/v1/webhooks";
  const path = `${webhooks}/${(await send("POST", webhooks, { url: receiver })).data.id}`;
  await get(webhooks);
  await get(path);
  await send("PATCH", path, { description: "for the stream's lights" });
  await send("POST", `${path}/test`, { type: "donation.created" });
  await send("POST", `${path}/rotate-secret`);
  await donate(caller);
  const delivery = await until(async () => {
    const { data = [] } = await get(`${path}/deliveries?status=succeeded`);
    return (data as unknown as { id: string }[])[0]?.id;
  }, "a delivery");
  await send("POST", `${path}/deliveries/${delivery}/redeliver`);
  await send("POST", `${path}/recover`, { since: new Date(Date.now() - 60_000).toISOString() });
  await sleep(2_000); // they are delivered
  await send("DELETE", path);
}

async function undoImport({ send, env, handle, refuse }: Caller): Promise<void> {
  const importId = randomUUID();
  const imported = [1, 2].map((amount) => ({ ...somsri, amount, idempotencyKey: randomUUID(), createdAt: "2022-01-01T00:00:00Z" }));
  await send("POST", `${donations}/batch?importId=${importId}`, { donations: imported });
  const output = await cli({ env, handle }, "donations", "undo-import", importId, "--streamer", handle);
  if (JSON.parse(output).voided !== 2) refuse(`undo-import: ${output}`);
}

async function eraseDonator({ send }: Caller): Promise<void> {
  for (const dryRun of [true, false]) await send("POST", "/api/v1/donators/erase", { identifier: "somsri", dryRun });
}

// Plays, decides and controls alerts.

/** Plays alerts as an overlay does, beside a page that shows widgets alone. */
async function askAlerts(caller: Caller): Promise<void> {
  const { send, get, overlayKey } = caller;
  const alerts = "/api/v1/alerts";
  const act = (action: string, body?: object) => send("POST", `${alerts}/${action}`, body);
  await act("clear"); // alerts of other steps, which would be played first
  const player = `p${randomBytes(6).toString("hex")}`;
  const [overlay, widgets] = [await openOverlay(caller, player, true), await openOverlay(caller, `w${player}`, false)];
  const end = async ({ id, speech }: Playback): Promise<void> => {
    await send("POST", `/api/v1/overlay/playbacks/${id}/started`, { player }, { key: overlayKey });
    if (speech) await get(`/api/v1/overlay/speech/${speech.id}`, { key: overlayKey });
    await send("POST", `/api/v1/overlay/playbacks/${id}/ended`, { player }, { key: overlayKey });
  };
  try {
    await get(alerts);
    await get(`${alerts}/settings`);
    await send("PATCH", `${alerts}/settings`, {
      pauseSeconds: 0,
      speech: true,
      goal: { title: "A chair", target: 1_000_000, from: "2026-01-01" },
    });
    const id = await donate(caller, { message: `สวัสดี ${randomUUID()}` });
    await end(await overlay.next(id));
    await send("POST", `${donations}/${id}/replay`);
    await end(await overlay.next(id));
    const skipped = await donate(caller);
    const { id: playback } = await overlay.next(skipped);
    await send("POST", `/api/v1/overlay/playbacks/${playback}/started`, { player }, { key: overlayKey });
    await act("skip");
    const test = String((await act("test", {})).data.id);
    await end(await overlay.next(test));
    await act("pause");
    await donate(caller);
    await act("clear");
    for (const action of ["resume", "hide", "unhide"]) await act(action);
    await decide(caller, act);
    await askFiles(caller);
    await widgets.event("widgets");
  } finally {
    for (const page of [overlay, widgets]) page.close();
  }
}

async function decide(caller: Caller, act: (action: string) => Promise<unknown>): Promise<void> {
  const { send, get } = caller;
  const settings = "/api/v1/alerts/settings";
  await send("PATCH", settings, { approval: "all" });
  for (const decision of ["approve", "mask", "deny"]) {
    const id = await donate(caller);
    await until(async () => JSON.stringify(await get("/api/v1/alerts")).includes(id), "a held alert");
    await act(`${id}/${decision}`);
  }
  await send("PATCH", settings, { approval: "off" });
  await act("clear");
}

async function askFiles({ send, get }: Caller): Promise<void> {
  const files = "/api/v1/alert-files";
  const { id } = (await send("POST", `${files}?name=lamp.png`, pngOf(1, 1), { type: "image/png" })).data;
  await get(files);
  await send("DELETE", `${files}/${id}`);
}

type Playback = Readonly<{ id: string; donationId: string; speech: { id: string } | null }>;

/** `next`: the playback of this donation, once each. `event`: an event of this kind. */
type Overlay = { next: (donationId: string) => Promise<Playback>; event: (name: string) => Promise<unknown>; close: () => void };

async function openOverlay({ listen, overlayKey }: Caller, player: string, plays: boolean): Promise<Overlay> {
  const stream = await listen(`/api/v1/overlay/stream?player=${player}&plays=${plays}`, overlayKey);
  const events: { name: string; data: unknown }[] = [];
  onEventBlock(stream, (block) => {
    const name = /^event: ?(.*)$/m.exec(block)?.[1];
    const data = /^data: ?(.*)$/m.exec(block)?.[1];
    if (name && data) events.push({ name, data: JSON.parse(data) });
  });
  const used = new Set<string>();
  return {
    next: (donationId) =>
      until(async () => {
        const playbacks = events.flatMap(({ name, data }) => (name === "playback" ? [data as Playback] : []));
        const found = playbacks.find((one) => one.donationId === donationId && !used.has(one.id));
        if (found) used.add(found.id);
        return found;
      }, `the playback of ${donationId}`),
    event: (wanted) => until(async () => events.find(({ name }) => name === wanted), wanted),
    close: () => void stream.destroy(),
  };
}
