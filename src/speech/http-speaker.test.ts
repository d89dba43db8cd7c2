import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runningMs } from "../base/testing-time.ts";
import { httpSpeaker } from "./http-speaker.ts";
import { maxAudioBytes, TextRefused } from "./speaker.ts";
import { makeWav } from "./testing.ts";

type Received = { method: string | undefined; headers: IncomingMessage["headers"]; body: string };

const wav = makeWav({ seconds: 2 });
const utterance = { text: "สวัสดี", language: "th" } as const;
const received = new Map<string, Received>();
let closedEarly: Promise<unknown> | undefined;
let server: Server;
let base: string;

const answers: Record<string, (response: ServerResponse) => void> = {
  "/wav": (response) => response.writeHead(200, { "Content-Type": "Audio/WAV; codecs=1" }).end(wav),
  "/mp3": (response) => response.writeHead(200, { "Content-Type": "audio/mpeg" }).end("ID3 and so on"),
  "/x-wav": (response) => response.writeHead(200, { "Content-Type": "audio/x-wav" }).end(wav),
  "/named-mp3": (response) => response.writeHead(200, { "Content-Type": "audio/mp3" }).end("ID3 and so on"),
  "/midi": (response) => response.writeHead(200, { "Content-Type": "audio/midi" }).end("MThd"),
  "/slow": (response) => setTimeout(() => response.writeHead(200, { "Content-Type": "audio/wav" }).end(wav), 300),
  "/silent": (response) => (closedEarly = once(response, "close")),
  "/stops": (response) => {
    closedEarly = once(response, "close");
    response.writeHead(200, { "Content-Type": "audio/wav" }).write(wav.subarray(0, 100));
  },
  "/broken": (response) => {
    response.writeHead(200, { "Content-Type": "audio/wav", "Content-Length": "1000" }).write("RIFF");
    setTimeout(() => response.destroy(), 20);
  },
  "/empty": (response) => response.writeHead(200, { "Content-Type": "audio/wav" }).end(),
  "/500": (response) => response.writeHead(500, { "Content-Type": "audio/wav" }).end(wav),
  "/400": (response) => response.writeHead(400).end(),
  "/401": (response) => response.writeHead(401).end(),
  "/403": (response) => response.writeHead(403).end(),
  "/413": (response) => response.writeHead(413).end(),
  "/415": (response) => response.writeHead(415).end(),
  "/422": (response) => response.writeHead(422).end(),
  "/429": (response) => response.writeHead(429).end(),
  "/204": (response) => response.writeHead(204).end(),
  "/json": (response) => response.writeHead(200, { "Content-Type": "application/json" }).end("{}"),
  "/untyped": (response) => response.writeHead(200).end(wav),
  "/redirect": (response) => response.writeHead(307, { Location: `${base}/wav` }).end(),
  "/endless": (response) => {
    response.writeHead(200, { "Content-Type": "audio/wav" });
    const more = () => response.destroyed || response.write(Buffer.alloc(64 * 1024), () => setImmediate(more));
    more();
  },
  "/largest": (response) => response.writeHead(200, { "Content-Type": "audio/mpeg" }).end(Buffer.alloc(maxAudioBytes)),
  "/larger": (response) => response.writeHead(200, { "Content-Type": "audio/mpeg" }).end(Buffer.alloc(maxAudioBytes + 1)),
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { url = "", method, headers } = request;
    received.set(url, { method, headers, body: await text(request) });
    answers[url]?.(response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const speak = (path: string, ms = 5_000, parts = {}) =>
  httpSpeaker({ url: base + path, token: null, voice: null, ...parts }).speak(utterance, AbortSignal.timeout(ms));

test("the engine receives text, language and voice, and its audio is returned", async () => {
  expect(await speak("/wav", 5_000, { token: "s3cret", voice: "nok" })).toEqual({ mime: "audio/wav", bytes: wav, durationMs: 2_000 });
  const { method, headers, body } = received.get("/wav")!;
  expect(method).toBe("POST");
  expect(headers).toMatchObject({ authorization: "Bearer s3cret", "content-type": "application/json" });
  expect(JSON.parse(body)).toEqual({ text: "สวัสดี", language: "th", voice: "nok" });
});

test("without a token no Authorization is sent, and without a voice it is null", async () => {
  await speak("/wav");
  expect(received.get("/wav")!.headers).not.toHaveProperty("authorization");
  expect(JSON.parse(received.get("/wav")!.body).voice).toBeNull();
});

test("audio of another format than WAV is returned with an unknown duration", async () => {
  expect(await speak("/mp3")).toEqual({ mime: "audio/mpeg", bytes: Buffer.from("ID3 and so on"), durationMs: null });
});

test("every known media type of an engine is mapped to one that the contract serves", async () => {
  expect(await speak("/x-wav")).toEqual({ mime: "audio/wav", bytes: wav, durationMs: 2_000 });
  expect(await speak("/named-mp3")).toMatchObject({ mime: "audio/mpeg" });
});

test("a slow response before the deadline is returned", async () => {
  expect(await speak("/slow")).toMatchObject({ mime: "audio/wav" });
});

test.each(["/silent", "/stops"])(
  "a response of %s that does not end is given up at the deadline, and its connection is closed",
  async (path) => {
    const waited = await runningMs(() => expect(speak(path, 150)).rejects.toThrow(/timeout/i));
    expect(waited).toBeLessThan(2_000);
    await closedEarly;
  },
);

test.each([
  ["/500", /answered 500/],
  ["/204", /answered 204/],
  ["/json", /no audio/],
  ["/untyped", /no audio/],
  ["/midi", /answered audio\/midi/],
  ["/empty", /answered nothing/],
  ["/broken", /terminated|aborted|closed/],
  ["/nowhere-listens", /fetch failed/],
])("a response of %s rejects", async (path, message) => {
  const elsewhere = path === "/nowhere-listens" ? { url: "http://127.0.0.1:1/" } : {};
  await expect(speak(path, 5_000, elsewhere)).rejects.toThrow(message);
});

test.each(["/400", "/413", "/415", "/422", "/empty"])("a response of %s refuses the text", async (path) => {
  await expect(speak(path)).rejects.toBeInstanceOf(TextRefused);
});

test.each(["/401", "/403", "/429", "/500", "/json"])("a response of %s is a failure of the engine", async (path) => {
  await expect(speak(path)).rejects.not.toBeInstanceOf(TextRefused);
});

test("a redirect is not followed, so that donators' texts and the token reach the configured address only", async () => {
  received.clear();
  await expect(speak("/redirect", 5_000, { token: "s3cret" })).rejects.toThrow();
  expect([...received.keys()]).toEqual(["/redirect"]);
});

test("audio up to 2 MiB is returned; longer audio and endless streams resolve to null", async () => {
  expect((await speak("/largest"))?.bytes).toHaveLength(2_097_152);
  expect(await speak("/larger")).toBeNull();
  expect(await speak("/endless")).toBeNull();
});

test("speakers of different engines or voices have different ids", () => {
  const id = (url: string, voice: string | null) => httpSpeaker({ url, token: null, voice }).id;
  expect(new Set([id("http://a/", null), id("http://b/", null), id("http://a/", "x"), id("http://a/", "y")]).size).toBe(4);
});
