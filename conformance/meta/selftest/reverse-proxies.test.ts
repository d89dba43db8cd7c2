// The samples of docs/operations/proxy.md for reverse proxies: are they valid, and do they do what they are for?

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestOptions, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onEventBlock } from "../../suite/client/events/event-stream.ts";
import { addStreamerWithKeys } from "../../suite/client/operator.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { createDatabase, databaseUrl } from "../../suite/servers/database.ts";
import { serverEnvironment } from "../../suite/servers/serve.ts";
import { freePort, startServer } from "../../suite/servers/start-server.ts";
import { needsProgram, programPath } from "./operations-book.ts";

/** `second`: the port of the other server, where the sample has two. */
type Ports = { proxy: number; server: number; second?: number | undefined };

type Proxy = {
  program: string;
  /** The language of its block in the guide. */
  language: string;
  /** Arguments that let it judge a file, and that let it serve in the foreground. */
  check: string[];
  serve: string[];
  /** What a whole configuration has around the sample. */
  around?: (sample: string) => string;
  /** The sample with other ports. */
  moved: (sample: string, ports: Ports) => string;
};

const env = { ...process.env, PATH: programPath };

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "namjai-proxies-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const proxies: Proxy[] = [
  {
    program: "nginx",
    language: "nginx",
    check: ["-t", "-q", "-c"],
    serve: ["-g", "daemon off;", "-c"],
    around: (sample) => {
      const kept = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((what) => `${what}_temp_path ${folder}/${what};`);
      return `pid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${kept.join("\n")}\n${sample}}\n`;
    },
    moved: (sample, { proxy, server }) => sample.replace("listen 80;", `listen 127.0.0.1:${proxy};`).replace(":8080", `:${server}`),
  },
  {
    program: "haproxy",
    language: "haproxy",
    check: ["-c", "-q", "-f"],
    serve: ["-q", "-db", "-f"],
    moved: (sample, { proxy, server, second = server }) =>
      sample.replace("bind :80 ", `bind 127.0.0.1:${proxy} `).replace(":8080", `:${server}`).replace(":8081", `:${second}`),
  },
  {
    program: "caddy",
    language: "caddyfile",
    check: ["validate", "--adapter", "caddyfile", "--config"],
    serve: ["run", "--adapter", "caddyfile", "--config"],
    moved: (sample, { proxy, server }) =>
      `{\n\tadmin off\n\tgrace_period 1s\n}\n${sample.replace("api.example.com", `http://127.0.0.1:${proxy}`).replace(":8080", `:${server}`)}`,
  },
];

const sampleOf = ({ language }: Proxy): string =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(readFileSync(join(checkout, "docs/operations/proxy.md"), "utf8"))?.[1] ?? "";

function written({ program, around = (text) => text }: Proxy, sample: string): string {
  const file = join(folder, `${program}.conf`);
  writeFileSync(file, around(sample));
  return file;
}

describe.each(proxies)("$program", (proxy) => {
  test(`${proxy.program} accepts its sample`, async (context) => {
    needsProgram(context, proxy.program);
    expect(sampleOf(proxy).length).toBeGreaterThan(50);
    await expect(promisify(execFile)(proxy.program, [...proxy.check, written(proxy, sampleOf(proxy))], { env })).resolves.toBeDefined();
  });
});

describe("behind a reverse proxy", () => {
  let server: { port: number; key: string; database: pg.Client; stop: () => Promise<void> };
  beforeAll(async () => {
    const database = await createDatabase(process.env.DATABASE_URL);
    const { port, env } = await serverEnvironment(database);
    const running = await startServer(
      `http://127.0.0.1:${port}`,
      { ...env, PROXIES: "1" },
      { log: join(folder, "server.log"), quiet: true },
    );
    const { key } = await addStreamerWithKeys({ env, handle: "main" }, "main", "write:donations read:donations write:alerts");
    const client = new pg.Client({ connectionString: await databaseUrl(env) });
    await client.connect();
    const stop = async (): Promise<void> => {
      await client.end();
      await running.stop();
      await database.drop();
    };
    server = { port, key, database: client, stop };
  }, 240_000); // a busy machine takes minutes to make a database
  afterAll(() => server?.stop());

  test.for(proxies)(
    "$program passes donations, refusals and the address of its client on, and each event before the stream ends",
    async (proxy, context) => {
      needsProgram(context, proxy.program);
      const { url, stop } = await startProxy(proxy, server.port);
      const call = (path: string, options: RequestOptions = {}, body?: unknown) => ask(`${url}/api/v1${path}`, server.key, options, body);
      const stream = await call("/events/stream");
      try {
        expect(stream.statusCode).toBe(200);
        const recorded = new Promise<string>((resolve) =>
          onEventBlock(stream, (block) => void (block.includes("donation.created") && resolve("passed on"))),
        );

        const created = await call("/donations", { method: "POST" }, { donatorName: "Somchai", amount: 100 });
        expect(created.statusCode).toBe(201);
        expect(await Promise.race([recorded, sleep(30_000, "held back")])).toBe("passed on");

        const refused = await call("/donations", { method: "POST" }, { donatorName: "Somchai", amount: 100, message: "a".repeat(2 ** 20) });
        expect([refused.statusCode, ((await json(refused)) as { code: string }).code]).toEqual([413, "payload_too_large"]);

        const spoofed = { headers: { "X-Forwarded-For": "203.0.113.7" }, localAddress: "127.0.0.2" };
        const paused = await call("/alerts/pause", { method: "POST", ...spoofed });
        await call("/alerts/resume", { method: "POST" });
        const { rows } = await server.database.query("select entry::jsonb #>> '{actor,from}' as from from audit_log where entry like $1", [
          `%${paused.headers["x-request-id"]}%`,
        ]);
        expect(rows).toEqual([{ from: "127.0.0.2" }]);
      } finally {
        stream.destroy();
        await stop();
      }
    },
  );
});

/** Starts a proxy in front of the server on `port`, by its sample, and waits until it passes requests on. */
test("haproxy goes on at the other server when one has closed its port, and sends nothing again that a server has taken", async (context) => {
  const haproxy = proxies.find(({ program }) => program === "haproxy") as Proxy;
  needsProgram(context, haproxy.program);
  let broken = 0;
  const servers = [1, 2].map(() =>
    createServer((request, response) => {
      if (request.url !== "/broken") return void request.resume().on("end", () => response.end());
      broken += 1;
      request.socket.destroy();
    }).listen(0, "127.0.0.1"),
  );
  await Promise.all(servers.map((server) => once(server, "listening")));
  const [one = 0, two = 0] = servers.map((server) => (server.address() as AddressInfo).port);
  const { url, stop } = await startProxy(haproxy, one, two);
  const post = async (path: string) => (await fetch(url + path, { method: "POST", body: "{}" })).status;
  try {
    servers[0]?.close();
    servers[0]?.closeAllConnections();
    expect(await Promise.all(Array.from({ length: 20 }, () => post("/donations")))).toEqual(Array(20).fill(200));
    expect(await post("/broken").catch(() => 502)).toBe(502); // on a connection that it has used before, haproxy closes that of the client
    expect(broken).toBe(1);
  } finally {
    await stop();
    servers[1]?.close();
    servers[1]?.closeAllConnections();
  }
});

async function startProxy(proxy: Proxy, port: number, second?: number): Promise<{ url: string; stop: () => Promise<void> }> {
  const ports = { proxy: await freePort(), server: port, second };
  const file = written(proxy, proxy.moved(sampleOf(proxy), ports));
  const child = spawn(proxy.program, [...proxy.serve, file], { env: { ...env, HOME: folder }, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (part) => void (said += part));
  const exited = once(child, "exit");
  const url = `http://127.0.0.1:${ports.proxy}`;
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
  };
  for (const deadline = Date.now() + 20_000; ; await sleep(20)) {
    if ((await fetch(`${url}/readyz`).catch(() => null))?.status === 200) return { url, stop };
    if (child.exitCode === null && Date.now() < deadline) continue;
    child.kill("SIGKILL");
    throw new Error(`${proxy.program} does not serve: ${said}`);
  }
}

/** Resolves as soon as the head of the answer is there, also while the body is still being sent. Each request has a connection of its own. */
function ask(url: string, key: string, options: RequestOptions, body?: unknown): Promise<IncomingMessage> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { ...options.headers, Authorization: `Bearer ${key}`, "Content-Type": "application/json", "Content-Length": text.length };
  return new Promise((resolve, reject) => {
    const sending = request(url, { agent: false, ...options, headers }, resolve);
    sending.on("error", reject).end(text);
  });
}
