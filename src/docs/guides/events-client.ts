import { createHmac, timingSafeEqual } from "node:crypto";
import type { components } from "./api.d.ts";

type Event = components["schemas"]["Event"];
type Position = { after?: string; types?: Event["type"][] };

const { API_URL, API_KEY } = process.env;
if (!API_URL || !API_KEY) throw new Error("set API_URL and API_KEY");

/**
 * Every event after a position, for ever and once each, whatever becomes of the connection. Keep the position of the last event that you have
 * dealt with: with it as `after`, a program that was restarted goes on where it stopped.
 */
export async function* events({ after = "latest", types = [] }: Position = {}): AsyncGenerator<{ position: string; event: Event }> {
  let position = after;
  for (;;) {
    try {
      for await (const { id, data } of streamFrom(position, types)) {
        if (data !== "") yield { position: id, event: JSON.parse(data) };
        position = id;
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      console.log("reconnecting:", (error as Error).message);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 + 1000 * Math.random()));
  }
}

class Refused extends Error {}

/** One connection: its messages until it ends. */
async function* streamFrom(after: string, types: readonly string[]): AsyncGenerator<{ id: string; data: string }> {
  const query = new URLSearchParams({ after, keepalive: "15" });
  for (const type of types) query.append("types", type);
  const stop = new AbortController();
  const answer = await fetch(`${API_URL}/api/v1/events/stream?${query}`, {
    headers: { Authorization: `Bearer ${API_KEY}` },
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

let left = Number(process.env.STOP_AFTER ?? Number.POSITIVE_INFINITY);
for await (const { event, position } of events({ after: process.env.AFTER, types: ["donation.created"] })) {
  if (event.type === "donation.created") console.log(event.data.donatorName, "gave", event.data.amount, event.data.currency);
  // Here a program that must not miss anything writes `position` to its own database, in the same transaction as what it did.
  left -= 1;
  if (left === 0) {
    console.log(`to go on from here: AFTER=${position}`);
    break;
  }
}
