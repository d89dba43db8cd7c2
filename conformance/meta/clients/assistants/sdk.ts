// The official SDK with its OAuth provider, as an assistant on the streamer's machine that knows the address of the server alone.

import { once } from "node:events";
import { createServer } from "node:http";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { tell } from "./story.ts";

const listener = createServer().listen(0, "127.0.0.1");
await once(listener, "listening");
const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`;

const kept = {};
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: "An assistant", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  redirectToAuthorization: (address) => console.error(address.href),
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
};

const newTransport = () => new StreamableHTTPClientTransport(new URL(`${process.env.API_URL}/mcp`), { authProvider });

await tell(async () => {
  const refused = newTransport();
  const error = await new Client({ name: "assistant", version: "1" }).connect(refused).catch((reason) => reason);
  if (!(error instanceof UnauthorizedError)) throw error ?? new Error("connected without approval");
  const [callback, page] = await once(listener, "request");
  page.end();
  await refused.finishAuth(new URL(callback.url, redirectUrl).searchParams.get("code"));
  const client = new Client({ name: "assistant", version: "1" });
  await client.connect(newTransport());
  return {
    tools: async () => (await client.listTools()).tools,
    call: (name, values) => client.callTool({ name, arguments: values }),
    expire: () => void (kept.tokens = { ...kept.tokens, access_token: "expired" }),
  };
});
