import { randomUUID } from "node:crypto";

import { addStreamer, setPassword } from "./operator.ts";
import { remember } from "./secrets.ts";
import { type Operator, target } from "./target.ts";

/** A streamer of a test's own, who can log in. */
export type Login = { handle: string; password: string };

export async function newStreamer(operator: Operator): Promise<Login> {
  const handle = `s${randomUUID().slice(0, 8)}`;
  const password = `ดาว ${randomUUID()}`;
  await addStreamer(operator, handle);
  await setPassword(operator, handle, password);
  remember(password);
  return { handle, password };
}

/** An overlay that plays: it starts what it is given and never ends it. */
export type Overlay = { events: string[]; close: () => void };

export async function openOverlay(overlayKey: string): Promise<Overlay> {
  const cut = new AbortController();
  const headers = { Authorization: `Bearer ${overlayKey}` };
  const answer = await fetch(`${target().url}/api/v1/overlay/stream?player=test&plays=true`, { headers, signal: cut.signal });
  if (!answer.body) throw new Error(`no stream: ${answer.status} ${await answer.text()}`);
  const events: string[] = [];
  void read(answer.body, async (event, data) => {
    events.push(event);
    const playback = event === "snapshot" ? data.playback : event === "playback" ? data : null;
    if (playback) await start(playback.id, headers);
  }).catch(() => {});
  return { events, close: () => cut.abort() };
}

type Data = { id: string; playback?: { id: string } | null };

function start(playbackId: string, headers: Record<string, string>): Promise<Response> {
  const body = JSON.stringify({ player: "test" });
  return fetch(`${target().url}/api/v1/overlay/playbacks/${playbackId}/started`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body,
  });
}

/** The events of a stream, as they come (HTML 9.2.6). */
async function read(stream: ReadableStream<Uint8Array>, take: (event: string, data: Data) => Promise<void>): Promise<void> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const messages = (text + chunk).split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const [, event] = /^event: ?(.*)$/m.exec(message) ?? [];
      const [, data] = /^data: ?(.*)$/m.exec(message) ?? [];
      if (event && data) await take(event, JSON.parse(data));
    }
  }
}
