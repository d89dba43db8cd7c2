// A fake speech engine over HTTP, as fast or as slow as a test needs it.

import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** A WAV file, or the one of a text. */
type Audio = Buffer | ((text: string) => Buffer);

/** A fake HTTP speech engine on a loopback address: it answers every text with the WAV file `speech`. */
export type SpeechEngine = { url: string; speech: Audio; requests: { text: string; language: string }[]; close: () => void };

/** Starts the engine. It answers each request after `delayMs`. */
export async function startSpeechEngine(speech: Audio, { delayMs = 0 } = {}): Promise<SpeechEngine> {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end(); // a server that starts asks whether anybody answers
    const asked = (await json(request)) as { text: string; language: string };
    engine.requests.push(asked);
    await sleep(delayMs);
    response
      .writeHead(200, { "Content-Type": "audio/wav" })
      .end(typeof engine.speech === "function" ? engine.speech(asked.text) : engine.speech);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port");
  const engine: SpeechEngine = {
    url: `http://127.0.0.1:${address.port}/`,
    speech,
    requests: [],
    close: () => server.close().closeAllConnections(),
  };
  return engine;
}
