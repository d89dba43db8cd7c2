// Wrong answers as data, and the proxy that gives them.

import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { at, events, set, type WrongAnswer, wrong } from "../mutants/mutant.ts";
import { type AnswerProxy, openProxy } from "../mutants/proxy.ts";

/** Told of each stream of the server that has closed. */
const streams = new EventEmitter();
const server = createServer(async (request, response) => {
  const { url: path, headers } = request;
  if (path?.endsWith("/events/stream")) {
    response.writeHead(200, { "content-type": "text/event-stream" }).write('id: 1\ndata: {"type":"a"}\n\n');
    response.once("close", () => streams.emit("closed"));
    return;
  }
  if (path === "/api/v1/donations?broken") return void request.socket.destroy();
  const body = await text(request);
  const answer = { path, body, host: headers.host, scheme: headers.authorization ?? null, data: [{ id: 1 }, { id: 2 }] };
  response.writeHead(201, { "content-type": "application/json", location: "/x" }).end(JSON.stringify(answer));
});
server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\nhello"));

let proxy: AnswerProxy;
let port = 0;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as { port: number }).port;
  proxy = await openProxy({ port: 0, server: `http://127.0.0.1:${port}`, keepsHost: true });
});
afterAll(() => {
  proxy.close();
  server.close();
  server.closeAllConnections();
});

let faults: string[] = [];

/** Gives this wrong answer from now on; none: null. */
function give(fault: Partial<WrongAnswer> | null): void {
  faults = [];
  const mutant = fault && wrong({ broken: "", on: "createDonation", killedBy: [], ...fault });
  const interceptor = mutant && "interceptor" in mutant ? mutant.interceptor() : null;
  proxy.intercept(interceptor && { interceptor, onFault: ({ message }) => void faults.push(message) });
}

/** The first event of a stream. */
async function firstEvent(): Promise<string> {
  const reply = await fetch(`${proxy.url}/api/v1/events/stream`);
  let seen = "";
  for await (const piece of (reply.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    seen += piece;
    if (seen.endsWith("\n\n")) break;
  }
  return seen;
}

/** What a client is answered by the proxy with this fault; without one, unchanged. */
async function answered(
  fault: Partial<WrongAnswer> | null,
  path = "/api/v1/donations",
  init: RequestInit = { method: "POST", body: '{"a":1}' },
) {
  give(fault);
  const reply = await fetch(proxy.url + path, init);
  return { status: reply.status, location: reply.headers.get("location"), body: (await reply.json()) as Record<string, unknown> };
}

describe("the proxy", () => {
  test("what no fault meets passes unchanged", async () => {
    const expected = { status: 201, location: "/x", body: { path: "/api/v1/donations", body: '{"a":1}' } };
    expect(await answered(null)).toMatchObject(expected);
    expect(await answered({ on: "getDonation", status: 500 })).toMatchObject(expected);
  });

  test("an event of a stream passes as soon as it is sent, and changed where a fault meets it", async () => {
    give({ on: "getMe" });
    expect(await firstEvent()).toBe('id: 1\ndata: {"type":"a"}\n\n');
    give({ on: "streamEvents", lines: events((event) => [event, { ...event, type: "b" }]) });
    expect(await firstEvent()).toBe('id: 1\ndata: {"type":"a"}\n\ndata: {"type":"b"}\n\n');
  });

  test("a stream that the client leaves is closed at the server, too", async () => {
    give({ on: "streamEvents" });
    const closed = once(streams, "closed");
    await firstEvent();
    await closed;
    expect(faults).toEqual([]);
  });

  test("a server that closes the connection is no fault of the wrong answer", async () => {
    await expect(answered({}, "/api/v1/donations?broken")).rejects.toThrow("fetch failed");
    expect(faults).toEqual([]);
  });

  const fails = (): never => {
    throw new Error("a slip");
  };
  test.each<[what: string, Partial<WrongAnswer>]>([
    ["that reads the answer", { when: fails }],
    ["that changes the request", { sent: fails }],
    ["that changes the answer", { answer: fails }],
    ["that answers instead", { instead: fails }],
  ])("a wrong answer %s and throws is reported, and closes the connection", async (_, fault) => {
    await expect(answered(fault)).rejects.toThrow("fetch failed");
    expect(faults).toEqual(["a slip"]);
  });

  test("a wrong answer that throws in a stream is reported", async () => {
    give({ on: "streamEvents", lines: events(fails) });
    await expect(firstEvent()).rejects.toThrow("terminated");
    expect(faults).toEqual(["a slip"]);
  });

  test.each<[what: string, Partial<WrongAnswer> | null]>([
    ["unchanged", null],
    ["changed", { status: 201 }],
  ])("a server behind a path is told its own address, and wrong answers are told paths without it: %s", async (_, fault) => {
    const whole = proxy;
    proxy = await openProxy({ port: 0, server: `http://localhost:${port}/base/`, keepsHost: false });
    onTestFinished(() => {
      proxy.close();
      proxy = whole;
    });
    expect((await answered(fault)).body).toMatchObject({ path: "/base/api/v1/donations", host: `localhost:${port}` });
  });

  test("a WebSocket passes", async () => {
    const { port: proxied } = new URL(proxy.url);
    const socket = connect(Number(proxied), "127.0.0.1");
    socket.write("GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    expect(await text(socket)).toContain("hello");
  });
});

describe("a wrong answer", () => {
  test("status and headers are changed", async () => {
    expect(await answered({ status: { 201: 200 }, headers: { location: null } })).toMatchObject({ status: 200, location: null });
    expect(await answered({ when: ({ status }) => status > 300, status: 500 })).toMatchObject({ status: 201 });
  });
  test("members and rows of the answer are changed", async () => {
    const { body } = await answered({ answer: at<unknown[]>("data", (rows) => rows.toReversed()) });
    expect(body.data).toEqual([{ id: 2 }, { id: 1 }]);
  });
  test("body, query and headers of the request are changed", async () => {
    const headers = { authorization: "Basic x" };
    const fault: Partial<WrongAnswer> = {
      sent: set("", { b: 2 }),
      url: (url) => url.searchParams.set("q", "1"),
      asked: { authorization: null },
    };
    const { body } = await answered(fault, "/api/v1/donations", { method: "POST", body: '{"a":1}', headers });
    expect(body).toMatchObject({ body: '{"a":1,"b":2}', path: "/api/v1/donations?q=1", scheme: null });
  });
  test("a refusal is answered as accepted, with what is read elsewhere", async () => {
    const forgives = { status: 201, as: 200, read: (path: string) => `${path}/1` };
    expect(await answered({ forgives })).toMatchObject({ status: 200, body: { path: "/api/v1/donations/1", body: "" } });
    expect(await answered({ forgives: { ...forgives, status: 404 } })).toMatchObject({ status: 201 });
  });
  test("another request is sent in its place", async () => {
    expect((await answered({ as: () => "GET /api/v1/me" })).body).toMatchObject({ path: "/api/v1/me", body: "" });
  });
});

test("names of events are those of their own stream", () => {
  const twice = events((event) => [event, event]);
  const [one, other] = [twice(), twice()];
  expect([one("event: a\n"), other("event: b\n"), one("data: {}\n"), other("\n"), other("data: {}\n")].flat()).toEqual([
    "event: a\n",
    "event: b\n",
    "data: {}\n\nevent: a\ndata: {}\n",
    "\n",
    "data: {}\n\ndata: {}\n",
  ]);
});

test.each([
  ["a.*.b", { a: [{ b: 1 }, {}] }, { a: [{ b: 2 }, {}] }],
  ["**", { a: ["x", 1] }, { a: ["x", 1] }],
  ["a.c", { a: { b: 1 } }, { a: { b: 1 } }],
])("a change at %s is made where that exists", (path, before, after) => {
  expect(at<unknown>(path, (value) => (value === 1 ? 2 : value))(before, {} as never)).toEqual(after);
});
