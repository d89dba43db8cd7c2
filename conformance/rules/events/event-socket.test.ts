import { once } from "node:events";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { connectToTarget, startAlone } from "../../suite/client/connections.ts";
import { recordRequest } from "../../suite/client/trace.ts";
import { endAsNotRun } from "../../suite/values/running.ts";
import { target } from "../../suite/values/target.ts";

// A WebSocket whose client does what Node's own can't: sends bytes, answers no ping.

type RawSocket = {
  send: (data: string | Buffer) => void;
  messages: () => string[];
  pings: () => number;
  /** The code with which it is closed. */
  closed: Promise<number>;
};

const opened = new Set<WebSocket>();

/** `answersPings`: false for a client that has vanished. */
async function openRawSocket({ answersPings = true }: { answersPings?: boolean } = {}): Promise<RawSocket> {
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

function closeRawSockets(): void {
  for (const client of opened) client.terminate();
  opened.clear();
}

// The protocol of the WebSocket (RFC 6455): messages that are none, clients that vanish, and requests to upgrade that are not.

afterEach(closeRawSockets);

const opening = (members: object = {}): string => JSON.stringify({ token: target().keys.main, types: ["goal.reached"], ...members });
const problemOf = (messages: string[]): unknown => messages.map((one) => JSON.parse(one).problem).find(Boolean);

describe("the first message", () => {
  test("a first message may be binary, if it is the same JSON", async () => {
    const socket = await openRawSocket();
    socket.send(Buffer.from(opening()));
    await expect.poll(() => socket.messages().length).toBe(1);
    expect(JSON.parse(socket.messages()[0] ?? "")).toEqual({ cursor: expect.any(String) });
  });

  test.each([
    ["binary and no JSON", Buffer.from([0, 255, 1])],
    ["an array", "[]"],
    ["null", "null"],
    ["JSON that ends early", '{"token":'],
  ])("a first message that is %s is answered with a problem, and 4400", async (_, message) => {
    const socket = await openRawSocket();
    socket.send(message);
    expect(await socket.closed).toBe(4400);
    expect(problemOf(socket.messages())).toMatchObject({ status: 400, code: "validation_failed" });
  });

  test("a first message that is longer than 16 KiB is refused with 1009", async () => {
    const socket = await openRawSocket();
    socket.send(opening({ after: "x".repeat(17_000) }));
    expect(await socket.closed).toBe(1009);
  });

  test("a first message that does not come is answered with a problem, and 4408", async () => {
    const socket = await openRawSocket();
    expect(await socket.closed).toBe(4408);
    expect(problemOf(socket.messages())).toMatchObject({ status: 408, code: "request_timeout" });
  });
});

describe("signs of life", () => {
  test("a client is sent pings, and one that answers none is disconnected while others stay", async () => {
    const [gone, here] = [await openRawSocket({ answersPings: false }), await openRawSocket()];
    for (const socket of [gone, here]) socket.send(opening({ keepalive: 5 }));
    expect(await gone.closed).toBe(1006);
    const before = here.pings();
    expect(before).toBeGreaterThan(0);
    await expect.poll(here.pings).toBeGreaterThan(before);
  });
});

describe("upgrades", () => {
  const upgrade = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  };

  test.each([
    ["another path", "/api/v1/me", upgrade],
    ["another protocol", "/api/v1/me", { ...upgrade, Upgrade: "h2c" }],
  ])("a request to upgrade on %s is answered as if it had not asked (RFC 9110 7.8)", async (_, path, headers) => {
    const outgoing = startAlone(`${target().url}${path}`, {
      headers: { ...headers, Authorization: `Bearer ${target().keys.main}` },
    }).end();
    const [answer] = await once(outgoing, "response");
    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(await text(answer))).toHaveProperty("data");
  });

  test("the connection of a request to upgrade that is not granted closes after its answer, so that a client sends what it pipelined again", async (context) => {
    if (target().foreign) context.skip("not applicable: a reverse proxy decides when a client's connection closes");
    const { host } = new URL(target().url);
    const socket = connectToTarget();
    const lines = (path: string, more: string[] = []) => `${[`GET ${path} HTTP/1.1`, `Host: ${host}`, ...more].join("\r\n")}\r\n\r\n`;
    socket.write(lines("/api/v1/me", ["Connection: Upgrade", "Upgrade: h2c"]) + lines("/livez"));
    const answer = await text(socket);
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 401"]);
    expect(answer).toMatch(/^Connection: close\r$/im);
  });

  /** A reverse proxy may keep the connection open after it. */
  const firstAnswer = async (socket: Socket): Promise<string> => {
    let read = "";
    for await (const part of socket.setEncoding("utf8")) {
      read += part;
      const [, length] = /^content-length: (\d+)\r$/im.exec(read) ?? [];
      if (length !== undefined && Buffer.byteLength(read.slice(read.indexOf("\r\n\r\n") + 4)) >= Number(length)) break; // which closes it
    }
    return read;
  };

  /** The answer to a request to upgrade with these headers, which closes the connection. */
  const refusal = async (headers: readonly (readonly [string, string])[]): Promise<string> => {
    const socket = connectToTarget();
    const lines = ["GET /api/v1/events/socket HTTP/1.1", ...headers.map(([name, value]) => `${name}: ${value}`)];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    const answer = target().foreign ? await firstAnswer(socket) : await text(socket);
    if (target().foreign && !/^x-request-id:/im.test(answer)) endAsNotRun("what is in front of the server answers such a request itself");
    return answer;
  };
  const host = ["Host", new URL(target().url).host] as const; // a reverse proxy may serve several
  const { "Sec-WebSocket-Version": _, ...withoutVersion } = upgrade;
  const { "Sec-WebSocket-Key": __, ...withoutKey } = upgrade;

  test.each<readonly [string, string | null]>([
    ["without a version", null],
    ...["8", "12", "14", "013", "13, 13", ""].map((version) => [`of version “${version}”`, version] as const),
  ])("a request to upgrade %s is refused with 426 and the version that the server speaks (RFC 6455 4.2.2)", async (_, version) => {
    const versions = version === null ? [] : ([["Sec-WebSocket-Version", version]] as const);
    const answer = await refusal([host, ...Object.entries(withoutVersion), ...versions]);
    expect(answer).toMatch(/^HTTP\/1\.1 426 /);
    expect(answer).toMatch(/^Sec-WebSocket-Version: 13\r$/im);
    if (!target().foreign) expect(answer).toMatch(/^Upgrade: websocket\r$/im); // a reverse proxy may take it out (RFC 9110 7.6.1)
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ status: 426, code: "upgrade_required" });
  });

  test("a request that asks for no WebSocket, as after a proxy that leaves Upgrade out, is refused with 426, not as an unknown path", async () => {
    const answer = await refusal([host, ["Connection", "close"]]);
    expect(answer).toMatch(/^HTTP\/1\.1 426 /);
    if (!target().foreign) expect(answer).toMatch(/^Upgrade: websocket\r$/im); // a reverse proxy may take it out (RFC 9110 7.6.1)
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ status: 426, code: "upgrade_required" });
  });

  test.each([
    ["without Host", Object.entries(upgrade)],
    ["with two Hosts", [host, host, ...Object.entries(upgrade)]],
    ["without a key", [host, ...Object.entries(withoutKey)]],
    ["with a key that is too short", [host, ...Object.entries(withoutKey), ["Sec-WebSocket-Key", "c2hvcnQ="]]],
    ["with two keys", [host, ...Object.entries(upgrade), ["Sec-WebSocket-Key", upgrade["Sec-WebSocket-Key"]]]],
  ] as [string, [string, string][]][])("a request to upgrade %s is refused with 400 and a problem", async (_, headers) => {
    const answer = await refusal(headers);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ status: 400, code: expect.any(String) });
  });
});
