// Connects to streams of server-sent events (HTML Living Standard 9.2) and splits them into blocks.

import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import type { Reply } from "../contract/http-request.ts";

/** The open answer, and its head as a reply. */
type Connected = Reply & { message: IncomingMessage };

/** Resolves as soon as the head of the answer is there. Each stream has a connection of its own. */
export async function connectToEvents(address: string, key: string, headers: Record<string, string> = {}): Promise<Connected> {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const all = { ...(key !== "" && { Authorization: `Bearer ${key}` }), Accept: "text/event-stream", ...headers };
    httpRequest(address, { agent: new Agent(), headers: all }, resolve).on("error", reject).end();
  });
  return { message, status: message.statusCode ?? 0, headers: message.headers, text: "", body: undefined };
}

/** Calls `onBlock` with each block of lines that has ended, without the blank line after it. A connection that breaks is no error. */
export function onEventBlock(message: IncomingMessage, onBlock: (block: string) => void): void {
  let text = "";
  const decoded = decodedBody(message);
  decoded.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) onBlock(block);
  });
  for (const stream of [message, decoded]) stream.on("error", () => {});
}

/** Throws unless clients that split lines at U+0085, U+2028 and U+2029, too, read the same lines, as Python's splitlines does. */
export function expectWholeLines(text: string): void {
  const [end] = /[\v\f\r\u001c-\u001e\u0085\u2028\u2029]/.exec(text) ?? [];
  if (end)
    throw new Error(`the unescaped character U+${end.charCodeAt(0).toString(16).padStart(4, "0")} ends a line for some clients: ${text}`);
}

/** The body without the encoding that a server may choose for a client who accepts it (RFC 9110 12.5.3). */
function decodedBody(message: IncomingMessage): Readable {
  const { "content-encoding": encoding } = message.headers;
  if (encoding === "gzip") return message.pipe(createGunzip());
  return encoding === "br" ? message.pipe(createBrotliDecompress()) : message;
}
