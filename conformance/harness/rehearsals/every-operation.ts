// Asks a server for every operation of the contract once, and for what streamers do on its pages, through MCP and on the command line.

import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { connectToEvents, onEventBlock } from "../client/event-source.ts";
import { pngOf } from "../generators/files.ts";
import { type Operation, operations } from "../oracle/contract.ts";
import { cli } from "../server/operator.ts";
import { openVisitor } from "./visitor.ts";

/** `env`: with which the command line runs. `receiver`: an address that events may be sent to. */
export type Streamer = Readonly<{
  url: string;
  env: Record<string, string>;
  handle: string;
  password: string;
  key: string;
  overlayKey: string;
  client: Readonly<{ id: string; secret: string; redirectUri: string }>;
  receiver: string;
}>;

/** `refused`: what was not answered with success. `unasked`: operations of the contract that were not asked for. */
export type Asked = Readonly<{ refused: readonly string[]; unasked: readonly string[] }>;

/** Lines of JSON are read by nobody here. */
const isJson = ({ headers }: Response): boolean => /json(;|$)/.test(headers.get("content-type")?.replace("application/x-ndjson", "") ?? "");

type Pagination = Readonly<{ nextCursor: string }>;
type Sent = Readonly<{ key?: string | null; type?: string; headers?: Record<string, string> }>;
type Send = (
  method: string,
  path: string,
  body?: unknown,
  sent?: Sent,
) => Promise<{ data: Record<string, unknown>; [member: string]: unknown }>;

/** `send` resolves to the JSON of an answer; to one without members when there is none. */
type Caller = Streamer & {
  send: Send;
  get: (path: string, sent?: Sent) => ReturnType<Send>;
  /** Resolves to the open stream at the path. */
  listen: (path: string, key: string) => Promise<IncomingMessage>;
  refuse: (what: string) => void;
};

const waitMs = 60_000;

export async function askEverything(streamer: Streamer): Promise<Asked> {
  const refused: string[] = [];
  const asked = new Set<string>();
  const send = senderOf(streamer, refused, asked);
  const listen = async (path: string, key: string) => {
    const { message, status } = await connectToEvents(`${streamer.url}${path}`, key);
    if (status !== 200) refused.push(`${path}: ${status}`);
    note(asked, "GET", path);
    return message;
  };
  const get: Caller["get"] = (path, sent) => send("GET", path, undefined, sent);
  const caller: Caller = { ...streamer, send, get, listen, refuse: (what) => void refused.push(what) };
  for (const step of [askPublic, askWebhooks, askDonations, askAlerts, askEvents, askOAuth, askPages, askMcp, undoImport, eraseDonator])
    await step(caller).catch((error: Error) => refused.push(`${step.name}: ${error.stack}`));
  return { refused, unasked: operations.flatMap(({ id }) => (asked.has(id) ? [] : [id])) };
}

function senderOf({ url, key: own }: Streamer, refused: string[], asked: Set<string>): Send {
  return async (method, path, body, { key = own, type = "application/json", headers = {} } = {}) => {
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...(key && { Authorization: `Bearer ${key}` }), ...(body !== undefined && { "Content-Type": type }), ...headers },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    note(asked, method, path);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (!answer.ok) refused.push(`${method} ${path}: ${answer.status} ${bytes.toString().slice(0, 500)}`);
    return isJson(answer) ? JSON.parse(bytes.toString()) : { data: {} };
  };
}

function note(asked: Set<string>, method: string, path: string): void {
  const operation = operations.find((one) => one.method === method && matches(one, path));
  if (operation) asked.add(operation.id);
}

/** An id has a digit, a fixed part of a path has none. */
function matches({ path }: Operation, asked: string): boolean {
  const [own, given] = [path.split("/"), asked.replace(/\?.*/, "").split("/")];
  return (
    own.length === given.length &&
    own.every((part, index) => part === given[index] || (part.startsWith("{") && /\d/.test(given[index] ?? "")))
  );
}

const donations = "/api/v1/donations";
const somsri = { donatorName: "Somsri", amount: 5, message: "สวัสดี", identifier: "somsri" };

async function donate({ send }: Caller, members: object = {}): Promise<string> {
  return String((await send("POST", donations, { ...somsri, ...members })).data.id);
}

async function askPublic({ get }: Caller): Promise<void> {
  const known = ["jwks.json", "oauth-authorization-server", "oauth-protected-resource/mcp"].map((name) => `/.well-known/${name}`);
  for (const path of known) await get(path, { key: null });
  for (const path of ["me", "streaming-categories?q=pubg"]) await get(`/api/v1/${path}`);
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

async function until<T>(read: () => Promise<T | undefined | false>, what: string): Promise<T> {
  for (const deadline = Date.now() + waitMs; Date.now() < deadline; await sleep(100)) {
    const found = await read();
    if (found) return found;
  }
  throw new Error(`${what} did not come within ${waitMs / 1_000} s`);
}
