// A WebSocket whose client does what Node's own can't: sends bytes, answers no ping.

import { once } from "node:events";
import { WebSocket } from "ws";
import { target } from "../../values/target.ts";
import { recordRequest } from "../trace.ts";

export type RawSocket = {
  send: (data: string | Buffer) => void;
  messages: () => string[];
  pings: () => number;
  /** The code with which it is closed. */
  closed: Promise<number>;
};

const opened = new Set<WebSocket>();

/** `answersPings`: false for a client that has vanished. */
export async function openRawSocket({ answersPings = true }: { answersPings?: boolean } = {}): Promise<RawSocket> {
  const path = "/api/v1/events/socket";
  recordRequest({ path });
  const client = new WebSocket(`${target().url.replace(/^http/, "ws")}${path}`, { autoPong: answersPings });
  opened.add(client);
  const messages: string[] = [];
  let pings = 0;
  client.on("message", (data) => messages.push(String(data))).on("ping", () => void (pings += 1));
  const closed = new Promise<number>((resolve) => void client.on("close", resolve));
  client.on("error", () => {}); // `closed` tells
  await once(client, "open");
  return { send: (data) => client.send(data), messages: () => messages, pings: () => pings, closed };
}

export function closeRawSockets(): void {
  for (const client of opened) client.terminate();
  opened.clear();
}
