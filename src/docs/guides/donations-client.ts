// The typed client of this API: `fetch` with the types of the contract, events as an async iterable, and the verification of webhooks.
// Keep it beside api.d.ts, which the guide to TypeScript tells how to make. It needs the package openapi-fetch and nothing else.

import { createHmac, timingSafeEqual } from "node:crypto";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

export type NewDonation = components["schemas"]["ExternalDonation"];
export type Donation = components["schemas"]["Donation"];
/** With `position` as `after` a program goes on behind this event. */
export type Event = components["schemas"]["Event"] & { position: string };
export type Following = { after?: string; types?: Event["type"][]; withImported?: boolean };
export type DonationsClient = Client<paths> & {
  /**
   * Every event after a position, for ever and once each, whatever becomes of the connection. Keep the position of the last event that you
   * have dealt with: with it as `after`, a program that was restarted goes on where it stopped. Throws when the server refuses the request.
   */
  events: (following?: Following) => AsyncGenerator<Event>;
};

/** `key`: an API key or an access token. */
type Server = { url: string; key: string };

export function connect(server: Server): DonationsClient {
  const headers = { Authorization: `Bearer ${server.key}` };
  const client = createClient<paths>({ baseUrl: server.url, headers, fetch: fetchPatiently });
  return Object.assign(client, { events: (following?: Following) => follow(server, following) });
}

/** The event of a webhook's request. Throws unless one of its signatures was made with this secret in the last five minutes. */
export function verifyWebhook(secret: string, headers: Headers, body: string): { type: string; timestamp: string; data: object } {
  const id = headers.get("webhook-id") ?? "";
  const timestamp = headers.get("webhook-timestamp") ?? "";
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) throw new Error("this delivery is too old");
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  const signatures = (headers.get("webhook-signature") ?? "").split(" ").map((one) => Buffer.from(one.replace("v1,", ""), "base64"));
  if (!signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected))) throw new Error("no signature is right");
  return JSON.parse(body);
}

/** Waits out rate limits and short outages. */
async function fetchPatiently(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(request.clone());
    if ((answer.status !== 429 && answer.status !== 503) || attempt === 8) return answer;
    await answer.body?.cancel(); // else it would keep its connection
    const seconds = Number(answer.headers.get("Retry-After")) || 1;
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }
}

async function* follow(server: Server, { after = "latest", ...wanted }: Following = {}): AsyncGenerator<Event> {
  let position = after;
  for (;;) {
    try {
      for await (const { id, data } of streamFrom(server, position, wanted)) {
        if (data !== "") yield { ...JSON.parse(data), position: id };
        position = id;
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      console.warn("reconnecting:", (error as Error).message);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 + 1000 * Math.random()));
  }
}

class Refused extends Error {}

/** One connection: its messages until it ends. */
async function* streamFrom(
  { url, key }: Server,
  after: string,
  { types = [], withImported = true }: Following,
): AsyncGenerator<{ id: string; data: string }> {
  const query = new URLSearchParams({ after, keepalive: "15" });
  if (!withImported) query.set("withImported", "false");
  for (const type of types) query.append("types", type);
  const stop = new AbortController();
  const answer = await fetch(`${url}/api/v1/events/stream?${query}`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: stop.signal,
  });
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) throw new Refused(await answer.text());
  if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
  // Something comes every 15 seconds. Silence means that the connection is broken, although nobody has said so.
  const onSilence = () => stop.abort(new Error("nothing came for 30 seconds"));
  let silence = setTimeout(onSilence, 30_000);
  let text = "";
  try {
    for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(silence);
      silence = setTimeout(onSilence, 30_000);
      const messages = (text + part).split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages) yield { id: field(message, "id"), data: field(message, "data") };
    }
  } finally {
    clearTimeout(silence);
    stop.abort();
  }
}

function field(message: string, name: string): string {
  return (
    message
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? ""
  );
}
