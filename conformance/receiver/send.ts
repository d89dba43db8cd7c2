// Sends a delivery as the product does.

import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { explainConnectionError } from "../suite/command/usage-error.ts";
import { versions } from "../suite/report/format.ts";
import { type Delivery, headersOf } from "./delivery.ts";

/** An answer, or why there was none in words. */
export type Answer = { status: number; text: string; headers: Record<string, string> } | { error: string };

/** As long as the product waits for an answer. */
const timeoutMs = 15_000;

/** The longest part of an answer that is read. */
const maxCharacters = 2_000;

export const userAgent = `namjai-conformance/${versions.suite}`;

/** Sends a delivery on a connection of its own. Follows no redirects, as the product. Never rejects. */
export async function send(url: string, delivery: Delivery): Promise<Answer> {
  try {
    return await exchange(new URL(url), delivery);
  } catch (error) {
    return { error: explainConnectionError(error) };
  }
}

function exchange(url: URL, delivery: Delivery): Promise<Answer> {
  const headers = { ...headersOf(delivery, userAgent), "Content-Length": Buffer.byteLength(delivery.body) };
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", headers, agent: false });
    const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    outgoing.once("close", () => clearTimeout(timer));
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => read(incoming).then(resolve, reject));
    outgoing.end(delivery.body);
  });
}

/** A status that has arrived counts, whatever becomes of the body. */
async function read(incoming: IncomingMessage): Promise<Answer> {
  let text = "";
  incoming.setEncoding("utf8");
  try {
    for await (const part of incoming) {
      text += part;
      if (text.length > maxCharacters) break;
    }
  } catch {}
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return { status: incoming.statusCode ?? 0, text: text.slice(0, maxCharacters), headers: Object.fromEntries(headers) };
}
