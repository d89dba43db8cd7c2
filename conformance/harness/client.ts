import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";

import { checkAnswer } from "./answers.ts";
import { target } from "./target.ts";
import { recordRequest } from "./trace.ts";

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

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends the request. Throws when the answer is not one that the contract documents. */
export async function send(request: Request): Promise<Reply> {
  const reply = await ask(request);
  checkAnswer(request, reply);
  return reply;
}

/** Sends the request, for what the contract does not document: pages and their forms. */
export async function ask(request: Request): Promise<Reply> {
  recordRequest(request);
  const message = await exchange(request);
  const bytes: Buffer[] = [];
  for await (const chunk of message) {
    bytes.push(chunk);
    if (isStream(message) && Buffer.concat(bytes).includes("\n\n")) break; // has no end; its first event will do
  }
  const text = Buffer.concat(bytes).toString("utf8");
  return { status: message.statusCode ?? 0, headers: message.headers, text, body: parsed(text) };
}

function exchange({ method = "GET", path, server, key, headers, body, chunked = false }: Request): Promise<IncomingMessage> {
  const { url, keys } = target();
  const base = new URL(server ?? url);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const sent: Record<string, string | number> = { ...headers };
  if (key !== null) sent.Authorization = `Bearer ${key ?? keys.main}`;
  if (bytes && !chunked) sent["Content-Length"] = bytes.length;
  return new Promise((resolve, reject) => {
    const options = { agent, method, path: base.pathname.replace(/\/$/, "") + path, headers: sent };
    const outgoing = httpRequest(base.origin, options, resolve).on("error", reject);
    if (chunked) outgoing.write(bytes);
    outgoing.end(chunked ? undefined : bytes);
  });
}

const isStream = ({ headers }: IncomingMessage): boolean => headers["content-type"]?.startsWith("text/event-stream") ?? false;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
