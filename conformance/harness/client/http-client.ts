import { Agent, type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { target } from "../server/target.ts";
import { checkAnswer } from "./check-answer.ts";
import { patiently } from "./rate-limit-patience.ts";
import { noteRequest } from "./sent-requests.ts";
import { recordRequest } from "./trace.ts";
import { countRequest } from "./traffic.ts";

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

type Sending = { outgoing: ClientRequest; answer: Promise<IncomingMessage> };

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
  for await (const chunk of message) {
    bytes.push(chunk);
    if (isStream(message) && Buffer.concat(bytes).includes("\n\n")) break; // has no end; its first event will do
  }
  const text = Buffer.concat(bytes).toString("utf8");
  const reply = { status: message.statusCode ?? 0, headers: message.headers, text, body: parsed(text) };
  noteRequest(request, reply, startedAt);
  return reply;
}

/** A kept connection may be closed just when it is used again; then the request was never read, and goes out on a new one. */
function exchange(request: Request): Promise<IncomingMessage> {
  const { outgoing, answer } = sendOut(request);
  return answer.catch((error: NodeJS.ErrnoException) => {
    if (outgoing.reusedSocket && error.code === "ECONNRESET") return exchange(request);
    throw error;
  });
}

function sendOut({ method = "GET", path, server, key, headers, body, chunked = false }: Request): Sending {
  const { url, keys } = target();
  const base = new URL(server ?? url);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const sent: Record<string, string | number> = { ...headers };
  if (key !== null) sent.Authorization = `Bearer ${key ?? keys.main}`;
  if (bytes && !chunked) sent["Content-Length"] = bytes.length;
  const { agent, start } = base.protocol === "https:" ? tls : plain;
  const outgoing = start(base.origin, { agent, method, path: base.pathname.replace(/\/$/, "") + path, headers: sent });
  const answer = new Promise<IncomingMessage>((resolve, reject) => void outgoing.on("response", resolve).on("error", reject));
  if (chunked) outgoing.write(bytes);
  outgoing.end(chunked ? undefined : bytes);
  return { outgoing, answer };
}

const isStream = ({ headers }: IncomingMessage): boolean => headers["content-type"]?.startsWith("text/event-stream") ?? false;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
