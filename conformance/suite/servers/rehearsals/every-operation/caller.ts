// Sends requests to a server and notes which operations of the contract they called and what was refused.

import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { connectToEvents } from "../../../client/events/event-stream.ts";
import { type Operation, operations } from "../../../contract/contract.ts";

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

export type Pagination = Readonly<{ nextCursor: string }>;
type Sent = Readonly<{ key?: string | null; type?: string; headers?: Record<string, string> }>;
type Send = (
  method: string,
  path: string,
  body?: unknown,
  sent?: Sent,
) => Promise<{ data: Record<string, unknown>; [member: string]: unknown }>;

/** `send` resolves to the JSON of an answer; to one without members when there is none. */
export type Caller = Streamer & {
  send: Send;
  get: (path: string, sent?: Sent) => ReturnType<Send>;
  /** Resolves to the open stream at the path. */
  listen: (path: string, key: string) => Promise<IncomingMessage>;
  refuse: (what: string) => void;
};

const waitMs = 60_000;

/** `asked` tells at the end what was refused, and which operations were not called. */
export function openCaller(streamer: Streamer): Readonly<{ caller: Caller; asked: () => Asked }> {
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
  return { caller, asked: () => ({ refused, unasked: operations.flatMap(({ id }) => (asked.has(id) ? [] : [id])) }) };
}

export const donations = "/api/v1/donations";
export const somsri = { donatorName: "Somsri", amount: 5, message: "สวัสดี", identifier: "somsri" };

export async function donate({ send }: Caller, members: object = {}): Promise<string> {
  return String((await send("POST", donations, { ...somsri, ...members })).data.id);
}

export async function until<T>(read: () => Promise<T | undefined | false>, what: string): Promise<T> {
  for (const deadline = Date.now() + waitMs; Date.now() < deadline; await sleep(100)) {
    const found = await read();
    if (found) return found;
  }
  throw new Error(`${what} did not come within ${waitMs / 1_000} s`);
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

/** Lines of JSON are read by nobody here. */
const isJson = ({ headers }: Response): boolean => /json(;|$)/.test(headers.get("content-type")?.replace("application/x-ndjson", "") ?? "");
