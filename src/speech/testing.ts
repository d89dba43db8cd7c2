// For tests: audio, a small server that answers as the documentation of a cloud's speech says, and what holds for each of these engines.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { maxAudioBytes, type Speaker, TextRefused } from "./speaker.ts";

const sampleRate = 8_000;

/** A WAV file of silence: one channel, 16 bits. */
export function makeWav({ seconds }: { seconds: number }): Buffer {
  const data = Buffer.alloc(Math.round(seconds * sampleRate) * 2);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + data.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

type Asked = Readonly<{ method: string | undefined; path: string; headers: IncomingMessage["headers"]; body: string }>;

export const key = "k3y-of-the-operator";
const mp3 = Buffer.from("ID3 and so on");
const utterance = { text: "สมชาย & <b>นก</b> โดเนทห้าสิบบาท", language: "th" } as const;

type Answer = (response: ServerResponse, asked: Asked) => void;

/** Starts the server, and closes it at the end of the test. */
export async function startEngine(answer: Answer): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { method, url: path = "", headers } = request;
    const one = { method, path, headers, body: await text(request) };
    asked.push(one);
    answer(response, one);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** `make`: the engine at an address, with a key. `isRight`: the key that the server got. `audio`: answers with these bytes as the service does. */
type Engine = Readonly<{
  make: (url: string, key: string) => Speaker;
  isRight: (asked: Asked) => boolean;
  audio: (response: ServerResponse, bytes: Buffer) => void;
}>;

/** Tests what holds for each cloud engine. Resolves `asked` of one utterance to the caller's own expectations. */
export function testCloudEngine({ make, isRight, audio }: Engine, expectAsked: (asked: Asked) => void): void {
  const speak = async (answer: Answer, { ms = 5_000, sentKey = key } = {}) => {
    const { url, asked } = await startEngine(answer);
    const spoken = make(url, sentKey).speak(utterance, AbortSignal.timeout(ms));
    return { spoken, asked };
  };
  const guarded: Answer = (response, asked) => (isRight(asked) ? audio(response, mp3) : response.writeHead(401).end(`no ${key}`));

  test("with the right key the text is spoken as documented", async () => {
    const { spoken, asked } = await speak(guarded);
    expect(await spoken).toEqual({ mime: "audio/mpeg", bytes: mp3, durationMs: null });
    expectAsked(asked[0] as Asked);
  });

  test("a wrong key is a failure of the engine, whose error does not quote it", async () => {
    const { spoken } = await speak(guarded, { sentKey: "wr0ng" });
    const error: Error = await spoken.then(
      () => expect.unreachable(),
      (error: Error) => error,
    );
    expect(error).not.toBeInstanceOf(TextRefused);
    expect(`${error.message} ${error.cause ?? ""}`).toBe("the speech engine answered 401 ");
  });

  test("an answer that does not come is given up at the deadline", async () => {
    const { spoken } = await speak(() => {}, { ms: 50 });
    await expect(spoken).rejects.toThrow(/timeout/i);
  });

  test("an empty answer refuses the text, and a huge one gives no audio", async () => {
    await expect((await speak((response) => audio(response, Buffer.alloc(0)))).spoken).rejects.toThrow();
    expect(await (await speak((response) => audio(response, Buffer.alloc(2 * maxAudioBytes)))).spoken).toBeNull();
  });

  test("a refusal of the text, as of one that is too long, is no failure of the engine", async () => {
    await expect((await speak((response) => response.writeHead(400).end("{}"))).spoken).rejects.toBeInstanceOf(TextRefused);
  });

  test("a redirect is not followed", async () => {
    const { spoken, asked } = await speak((response) => response.writeHead(307, { Location: "/elsewhere" }).end());
    await expect(spoken).rejects.toThrow();
    expect(asked).toHaveLength(1);
  });

  test("voices of another address or name have another id", () => {
    expect(make("http://a.test", key).id).not.toBe(make("http://b.test", key).id);
    expect(make("http://a.test", key).id).not.toContain(key);
  });
}

/** The voices that the engine names when its service answers their list so. */
export async function voicesOf(make: Engine["make"], list: unknown): Promise<{ voices: unknown; asked: Asked[] }> {
  const { url, asked } = await startEngine((response) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(list)),
  );
  return { voices: await make(url, key).voices?.(AbortSignal.timeout(5_000)), asked };
}
