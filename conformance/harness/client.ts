import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";

import { checkAnswer } from "./answers.ts";
import { noteRequest } from "./requests.ts";
import { target } from "./target.ts";
import { recordRequest } from "./trace.ts";
import { countRequest } from "./traffic.ts";
import { patiently } from "./wait.ts";

/** Sent as it stands: exact path, exact bytes. */
export type Request = {
  method?: string;
  path: string;
  /** Address of another process than the one under test. */
  server?: string;
  /** Bearer credential; the main key unless told otherwise, null for none. */
  key?: string | null;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Leaves Content-Length out. */
  chunked?: boolean;
};

export type Reply = { status: number; headers: IncomingHttpHeaders; text: string; body: unknown };

const options = { keepAlive: true, maxSockets: 64 };
const plain = { agent: new Agent(options), start: httpRequest };
const tls = { agent: new TlsAgent(options), start: tlsRequest };

/** Sends the request. Throws when the answer is not one that the contract documents. */
export async function send(request: Request): Promise<Reply> {
  const reply = await ask(request);
  checkAnswer(request, reply);
  return reply;
}

/** Sends the request, for what the contract does not document: pages and their forms. A 429 of the server under test is waited for. */
export async function ask(request: Request): Promise<Reply> {
  const exchange = recordRequest(request);
  countRequest(request);
  const reply = request.server === undefined ? await patiently(() => once(request)) : await once(request);
  exchange.reply = reply;
  return reply;
}

/** Sends the request once. */
export async function once(request: Request): Promise<Reply> {
  const startedAt = Date.now();
  const message = await exchange(request);
  const bytes: Buffer[] = [];
  for await (const chunk of message) bytes.push(chunk);
  const text = Buffer.concat(bytes).toString("utf8");
  const reply = { status: message.statusCode ?? 0, headers: message.headers, text, body: parsed(text) };
  noteRequest(request, reply, startedAt);
  return reply;
}

function exchange({ method = "GET", path, server, key, headers, body, chunked = false }: Request): Promise<IncomingMessage> {
  const { url, keys } = target();
  const base = new URL(server ?? url);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const sent: Record<string, string | number> = { ...headers };
  if (key !== null) sent.Authorization = `Bearer ${key ?? keys.main}`;
  if (bytes && !chunked) sent["Content-Length"] = bytes.length;
  const { agent, start } = base.protocol === "https:" ? tls : plain;
  return new Promise((resolve, reject) => {
    const options = { agent, method, path: base.pathname.replace(/\/$/, "") + path, headers: sent };
    const outgoing = start(base.origin, options, resolve).on("error", reject);
    if (chunked) outgoing.write(bytes);
    outgoing.end(chunked ? undefined : bytes);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
