// Respect of Redocly runs the stories of the guides, an Arazzo document, against the server; OWASP's rules read its contract.

import { spawn } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { checkout, node } from "../../suite/contract/sources.ts";
import { folder, run } from "./run.ts";
import type { DemoServer } from "./server.ts";
import type { Row } from "./tables.ts";

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
    tool: "Spectral with OWASP's rules, but for [those that are decided](decisions/0027-owasp-rules.md)",
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

/** Logs in and approves on the server's pages, as the self-tests do. Returns where the streamer is sent to. */
async function approve(address: string, password: string): Promise<string> {
  const logins = `${folder}/generated/logins.json`;
  await writeFile(logins, JSON.stringify({ main: { handle: "demo", password } }), { mode: 0o600 });
  const env = { ...process.env, OAUTH_LOGINS: logins, OAUTH_STREAMER: "main" };
  const child = spawn(node, [`${checkout}/conformance/meta/selftest/approve.ts`], { env, stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (part) => (text += part));
  child.stdin.end(address);
  await once(child, "close");
  return text.trim();
}
