// Respect of Redocly runs the stories of the guides, an Arazzo document, against the server; OWASP's rules read its contract.

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { checkout } from "../../suite/contract/sources.ts";
import { approve } from "./approve.ts";
import { run } from "./run.ts";
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
