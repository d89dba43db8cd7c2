// Tools that read the contract. Prism is a mock of it, and a proxy in front of the server: the request of each example must be valid for it, and so
// must be the answers of the server. Respect of Redocly runs the stories of the guides, an Arazzo document, against the server; OWASP's rules read it.

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { operations } from "../../suite/contract/contract.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { freePort } from "../../suite/servers/start-server.ts";
import { approve, type DemoServer, type Row, run, start } from "./run.ts";

type Request = { name: string; path: string; isOpen: boolean; init: RequestInit };

export async function mockExamples(): Promise<Row> {
  const faults = await whileRunning(["mock", "generated/openapi.json"], (url) => send(url, "any key"));
  return row("Prism's mock, the request of every example", faults);
}

export async function proxyExamples({ url, apiKey }: DemoServer): Promise<Row> {
  const faults = await whileRunning(["proxy", "generated/openapi.json", url, "--errors"], (proxy) => send(proxy, apiKey));
  return row("Prism's proxy, the request of every example", faults);
}

const row = (tool: string, faults: readonly string[]): Row => ({ tool, steps: { passes: faults.join("; ") || "ok" } });

async function whileRunning([kind = "", ...words]: readonly string[], work: (url: string) => Promise<string[]>): Promise<string[]> {
  const port = String(await freePort());
  const child = start(["prism", kind, ...words, "--port", port]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
  try {
    while (!output.includes("Prism is listening")) {
      if (child.exitCode !== null) return [`it did not start: ${output.slice(-500)}`];
      await sleep(100);
    }
    return await work(`http://127.0.0.1:${port}`);
  } finally {
    const ended = child.exitCode === null && once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
}

/** Sends every request. Returns what Prism finds wrong, in requests and answers. */
async function send(url: string, key: string): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, path, isOpen, init } of requests()) {
    const headers = { ...init.headers, ...(isOpen ? {} : { Authorization: `Bearer ${key}` }) };
    const reply = await fetch(url + path, { ...init, headers, redirect: "manual", signal: AbortSignal.timeout(20_000) });
    const type = reply.headers.get("content-type") ?? "";
    const text = type.includes("json") ? await reply.text() : "";
    const violations = reply.headers.get("sl-violations");
    if (violations || reply.status >= 500 || /prism\/errors/.test(text))
      faults.push(`${name}: ${reply.status} ${(violations ?? text).slice(0, 300)}`);
    else await reply.body?.cancel().catch(() => {});
  }
  return faults;
}

/** The request of each example of the contract, except streams, which do not end. */
function requests(): Request[] {
  return operations
    .filter(({ id }) => !/^stream/.test(id))
    .flatMap(({ id, method, path, parameters, requestBody, scopes, overlayKey }) => {
      const query = new URLSearchParams();
      let filled = path;
      for (const { name, in: place, example } of parameters as { name: string; in: string; example?: unknown }[]) {
        if (example === undefined) continue;
        if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(String(example)));
        if (place === "query") for (const value of [example].flat()) query.append(name, String(value));
      }
      const isOpen = scopes === null && !overlayKey;
      const at = query.size > 0 ? `${filled}?${query}` : filled;
      const bodies = Object.entries(requestBody?.content ?? {}).filter(([, media]) => media.example !== undefined);
      if (bodies.length === 0) return requestBody ? [] : [{ name: id, path: at, isOpen, init: { method } }];
      return bodies.map(([type, { example }]) => ({
        name: `${id} ${type}`,
        path: at,
        isOpen,
        init: { method, headers: { "Content-Type": type }, body: typeof example === "string" ? example : JSON.stringify(example) },
      }));
    });
}

const redirectUri = "http://127.0.0.1/callback";

const redocly = `${checkout}/node_modules/.bin/redocly`;

export async function tellStories(server: DemoServer): Promise<Row> {
  const inputs = { key: server.apiKey, order: randomUUID(), redirectUri, ...(await approvedClient(server)) };
  const given = Object.entries(inputs).flatMap(([name, value]) => ["--input", `${name}=${value}`]);
  const outcome = await run([redocly, "respect", "generated/arazzo.json", ...given]);
  return { tool: "Redocly Respect, the stories of [arazzo.json](../src/docs/stories.arazzo.json)", steps: { passes: outcome } };
}

/** Of each kind of finding .spectral.yaml says why it stays. */
export async function lintByOwasp(): Promise<Row> {
  const outcome = await run(["spectral", "lint", "generated/openapi.json", "--ruleset", ".spectral.yaml", "--fail-severity", "hint"]);
  return {
    tool: "Spectral with its own rules and OWASP's, but for [those that are decided](decisions/0027-owasp-rules.md)",
    steps: { passes: outcome },
  };
}

/** A client of the server, and a code that the demo streamer has approved. */
async function approvedClient({ url, operate, password }: DemoServer) {
  const scopes = ["--scopes", "read:donations write:donations"];
  const printed = await operate("clients", "create", "--name", "Stories", "--redirect-uri", redirectUri, ...scopes);
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(printed) as { client_id: string; client_secret: string };
  const codeVerifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const query = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  const location = await approve(`${url}/oauth/authorize?${new URLSearchParams(query)}`, password);
  return { clientId, clientSecret, codeVerifier, code: new URL(location).searchParams.get("code") ?? "" };
}
