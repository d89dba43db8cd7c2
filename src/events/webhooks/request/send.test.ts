import { createSecretKey } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { publicOnly } from "../../../http/addresses.ts";
import { Aborted } from "../../../http/hosts/hosts.ts";
import { faultOf, resolverFor } from "./address.ts";
import { type SenderOptions, sender } from "./send.ts";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const ports = [443, 8443];
const [on, onlyLocal] = [{ mode: "on", ports } as const, { mode: "local", ports } as const];
const local: SenderOptions = { ...onlyLocal, resolve: resolverFor("local"), userAgent: "namjai-webhooks/1", now: Date.now };
const message = { id: "1", body: "{}", secrets: [createSecretKey(Buffer.alloc(32))] };

const send = async (url: string, options: Partial<SenderOptions> = {}) => {
  const connection = sender({ ...local, ...options })(url, "streamer");
  closing.push(connection.close);
  return connection.send(message);
};

type Listener = NonNullable<Parameters<typeof createServer>[1]>;

async function serve(listener: Listener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  closing.push(() => server.close().closeAllConnections());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

describe("the address of an endpoint", () => {
  const privateHosts = [
    [
      "127.0.0.1",
      "10.1.2.3",
      "172.16.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "0.0.0.0",
      "192.0.0.1",
      "198.18.0.1",
      "224.0.0.1",
    ],
    ["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "255.255.255.255", "240.0.0.1"],
    ["[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[2001:db8::1]", "[3fff::1]"],
    ["[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[::7f00:1]"],
    ["localhost", "a.localhost", "LOCALHOST", "localhost."],
  ].flat();

  test.each(privateHosts)("https://%s is refused: it is not public", (host) =>
    expect(faultOf(`https://${host}/a`, on)).toBe("The host of the url must be public."),
  );

  test.each(privateHosts)("nothing is sent to https://%s, although it was accepted before", async (host) => {
    const { attempt } = await send(`https://${host}/a`, { mode: "on" });
    expect(attempt).toMatchObject({ status: null, error: "The host of the url must be public." });
  });

  test.each([
    "https://hooks.test",
    "https://8.8.8.8/a",
    "https://[2606:4700::1111]:8443/a?b=c",
    "https://hooks.test/@a?b=@c",
    "https://hooks.test./",
    "https://hooks.test:443/",
    "https://hooks.test:/",
    "https://hooks.test:0443/",
    "https://hooks.test:8443/",
    "https://ตัวอย่าง.test",
  ])("%s is accepted", (url) => expect(faultOf(url, on)).toBeNull());

  test.each([
    ["http://hooks.test", "The url must begin with https."],
    ["https://user:secret@hooks.test", "The url must not contain a user name or password."],
    ["https://@hooks.test", "The url must not contain a user name or password."],
    ["https://:@hooks.test", "The url must not contain a user name or password."],
    ["https:/\\user@hooks.test", "The url must not contain a user name or password."],
    ["https://hooks.test/#a", "The url must not contain a fragment."],
    ["https://hooks.test/#", "The url must not contain a fragment."],
    ["https://hooks.test:0/", "The port of the url must not be 0."],
    ["https://single/", "The host of the url must be an IP address or a name with a dot."],
    ["https://single./", "The host of the url must be an IP address or a name with a dot."],
    ["https://", "The url is not a valid https URL."],
    ["https://[::1", "The url is not a valid https URL."],
    ["file:///etc/passwd", "The url is not a valid https URL."],
  ])("%s is refused", (url, fault) => expect(faultOf(url, on)).toBe(fault));

  test.each([
    ["http://127.0.0.1:3000/a", null],
    ["http://localhost:3000/a", null],
    ["http://[::1]/a", null],
    ["http://127.0.0.1:0/a", "The port of the url must not be 0."],
    ["https://hooks.test:9000/a", "The port of the url must be 443 or 8443."],
    ["http://hooks.test/a", "The url must begin with https."],
    ["https://10.0.0.1/a", "The host of the url must be public."],
  ])("with WEBHOOKS=local, the fault of the address %s is %j", (url, fault) => expect(faultOf(url, onlyLocal)).toBe(fault));
});

test.each(["hooks.test:22", "hooks.test:80", "hooks.test:08444", "8.8.8.8:25", "[2606:4700::1111]:444", "hooks.test:65535"])(
  "https://%s is refused: its port is not open",
  (host) => expect(faultOf(`https://${host}/`, on)).toBe("The port of the url must be 443 or 8443."),
);

test.each([
  [[8443], "The port of the url must be 8443."],
  [[443, 8443, 9443], "The port of the url must be 443, 8443 or 9443."],
])("with the ports %j others are refused, and these are accepted", (opened, fault) => {
  expect(faultOf("https://hooks.test:9000/", { mode: "on", ports: opened })).toBe(fault);
  for (const port of opened) expect(faultOf(`https://hooks.test:${port}/`, { mode: "on", ports: opened })).toBeNull();
});

test("nothing is sent to a port that is closed, although it was accepted before", async () => {
  const { attempt } = await send("https://hooks.test:9443/", { mode: "on" });
  expect(attempt).toMatchObject({ status: null, error: "The port of the url must be 443 or 8443." });
});

describe("the host of an endpoint", () => {
  test.each([[["127.0.0.1"]], [["8.8.8.8", "10.0.0.1"]], [["::ffff:10.0.0.1"]], [["64:ff9b::a00:1"]], [["fd00::1"]]])(
    "a name that resolves to %j is sent nothing",
    async (addresses) => {
      const { attempt } = await send("https://hooks.test/", { mode: "on", resolve: resolverFor("on", async () => addresses) });
      expect(attempt).toMatchObject({ status: null, error: "The host does not have public addresses only." });
    },
  );

  test("a name is resolved once for a connection, which goes to the address that was checked (DNS rebinding)", async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    closing.push(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const asked: string[] = [];
    const rebinding = async (host: string) => {
      asked.push(host);
      return asked.length === 1 ? ["127.0.0.1"] : ["127.0.0.2"];
    };
    const url = `https://hooks.test:${port}/`;
    await send(url, { mode: "on", ports: [port], resolve: rebinding });
    expect([connections, asked]).toEqual([1, ["hooks.test"]]);
    const { attempt } = await send(url, { mode: "on", ports: [port], resolve: publicOnly(rebinding) });
    expect([connections, attempt.error]).toEqual([1, "The host does not have public addresses only."]);
  });

  test("a name without an address is said to have none", async () => {
    const { attempt } = await send("https://hooks.test/", { mode: "on", resolve: resolverFor("on", async () => []) });
    expect(attempt.error).toBe("The host name has no address.");
  });
});

describe("the answer", () => {
  test.each([301, 302, 307, 308])("a redirect with %i is not followed", async (status) => {
    const paths: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(status, { Location: "/elsewhere" }).end();
    });
    expect((await send(url)).attempt).toMatchObject({ status, error: `Answered ${status}. Redirects are not followed.` });
    expect(paths).toEqual(["/hooks"]);
  });

  test("the first kilobyte of an answer is kept, without half a character, and NUL is replaced", async () => {
    const url = await serve((_, response) => response.end(`\0${"x".repeat(1_021)}ก and more`.repeat(100)));
    const { attempt } = await send(url);
    expect(attempt).toMatchObject({ status: 200, error: null, answer: `\ufffd${"x".repeat(1_021)}` });
  });

  test("an answer that does not end is cut off, and its status counts", async () => {
    const url = await serve((_, response) => void response.writeHead(200).write("a"));
    const { attempt } = await send(url, { timeouts: { connectMs: 500, wholeMs: 500 } });
    expect(attempt).toMatchObject({ status: 200, error: null, answer: "a" });
  });

  test("no answer within the time is a failure that is described in words", async () => {
    const url = await serve(() => {});
    const { attempt } = await send(url, { timeouts: { connectMs: 500, wholeMs: 500 } });
    expect(attempt).toMatchObject({ status: null, answer: null, error: "No answer within 0.5 seconds." });
  });

  test("a connection that is refused, or closed without an answer, is a failure in words", async () => {
    const url = await serve((request) => request.socket.destroy());
    expect((await send(url)).attempt.error).toBe("The connection was closed before an answer.");
    expect((await send("http://127.0.0.1:1/")).attempt.error).toBe("The connection was refused.");
    expect((await send(url.replace("http:", "https:"))).attempt.error).toBe("No TLS connection could be made.");
  });

  test.each([
    ["120", 120_000],
    ["99999999", 86_400_000],
    ["-5", null],
    ["soon", null],
  ])("Retry-After: %s asks to wait %j ms", async (text, ms) => {
    const url = await serve((_, response) => response.writeHead(429, { "Retry-After": text }).end());
    expect((await send(url)).retryAfterMs).toBe(ms);
  });

  test("Retry-After may be a date", async () => {
    const url = await serve((_, response) => response.writeHead(503, { "Retry-After": "Fri, 20 Nov 2026 12:00:30 GMT" }).end());
    expect((await send(url, { now: () => Date.UTC(2026, 10, 20, 12) })).retryAfterMs).toBe(30_000);
  });
});

test("requests use the connection again, and one that the endpoint closed meanwhile is sent once more", async () => {
  let connections = 0;
  const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  server.on("connection", () => {
    connections += 1;
  });
  closing.push(() => server.close().closeAllConnections());
  await once(server, "listening");
  const connection = sender(local)(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, "streamer");
  closing.push(connection.close);
  for (let count = 0; count < 5; count += 1) await connection.send(message);
  expect(connections).toBe(1);
  const sent = connection.send(message);
  server.closeIdleConnections();
  expect((await sent).attempt.error).toBeNull();
});

test("each request that is under way has a connection of its own, and close ends them all", async () => {
  let connections = 0;
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  server.on("connection", () => {
    connections += 1;
  });
  closing.push(() => server.close().closeAllConnections());
  await once(server, "listening");
  const connection = sender(local)(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, "streamer");
  const sent = Promise.allSettled([connection.send(message), connection.send(message), connection.send(message)]);
  for (let count = 0; count < 3; count += 1) await once(server, "request");
  connection.close();
  expect((await sent).map((one) => one.status === "rejected" && one.reason instanceof Aborted)).toEqual([true, true, true]);
  await expect(connection.send(message)).rejects.toThrow(Aborted);
  expect(connections).toBe(3);
});

test("an informational answer is not taken for the answer", async () => {
  const server = createTcpServer((socket) =>
    socket.once("data", () =>
      socket.end("HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\nHTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n"),
    ),
  ).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await once(server, "listening");
  const { attempt, retryAfterMs } = await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect([attempt.status, retryAfterMs]).toEqual([429, null]);
});

test.each([
  ["informational answers", "", "HTTP/1.1 103 Early Hints\r\n\r\n"],
  ["the text of its status", "HTTP/1.1 200 ", "a"],
  ["the extension of a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "a"],
])("an answer whose %s have no end is cut off after 128 KiB", async (_, head, repeated) => {
  const server = createTcpServer((socket) => {
    const endless = Readable.from(forEver(head, Buffer.from(repeated.repeat(10_000 / repeated.length))));
    socket.on("error", () => {}).once("data", () => endless.pipe(socket));
    socket.once("close", () => endless.destroy());
  }).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await once(server, "listening");
  const { attempt } = await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  if (attempt.status === null) expect(attempt.error).toBe("The answer is too long.");
  expect(attempt.ms).toBeLessThan(15_000); // the time-out of an answer
});

function* forEver(head: string, repeated: Buffer): Generator<Buffer> {
  yield Buffer.from(head);
  for (;;) yield repeated;
}
