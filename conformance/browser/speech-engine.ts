import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** An HTTP engine that speaks for the server under test, on a loopback address: whatever it is given becomes the same WAV file. */
export type SpeechEngine = { url: string; asked: { text: string; language: string }[]; close: () => void };

/** `delay`: milliseconds that it takes. */
export async function startSpeechEngine(wav: Buffer, { delay = 0 } = {}): Promise<SpeechEngine> {
  const asked: SpeechEngine["asked"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    asked.push(JSON.parse(Buffer.concat(chunks).toString()));
    await sleep(delay);
    response.writeHead(200, { "Content-Type": "audio/wav" }).end(wav);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port");
  return { url: `http://127.0.0.1:${address.port}/`, asked, close: () => server.close().closeAllConnections() };
}
