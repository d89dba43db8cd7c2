import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** A fake HTTP speech engine on a loopback address: it answers every text with the same WAV file. */
export type SpeechEngine = { url: string; requests: { text: string; language: string }[]; close: () => void };

/** Starts the engine. It answers each request after `delayMs`. */
export async function startSpeechEngine(wav: Buffer, { delayMs = 0 } = {}): Promise<SpeechEngine> {
  const asked: SpeechEngine["requests"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    asked.push(JSON.parse(Buffer.concat(chunks).toString()));
    await sleep(delayMs);
    response.writeHead(200, { "Content-Type": "audio/wav" }).end(wav);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port");
  return { url: `http://127.0.0.1:${address.port}/`, requests: asked, close: () => server.close().closeAllConnections() };
}
