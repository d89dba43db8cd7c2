// Login libraries with the settings of the guide to authentication: a streamer logs in with Namjai, and the application uses the token. And assistants that
// get nothing but the address of the MCP server: each registers itself, is approved by the streamer, and calls tools.

import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { checkout, node } from "../../suite/contract/sources.ts";
import { freePort } from "../../suite/servers/start-server.ts";
import { approve, type DemoServer, folder, type Row, start, versions } from "./run.ts";

/** `heading`: of the guide's section with the settings. `callback`: where the library takes the answer. */
type Provider = { name: string; heading: string; packages: readonly string[]; callback: string };

export const providers: readonly Provider[] = [
  { name: "auth-core", heading: "Auth.js", packages: ["@auth/core"], callback: "/auth/callback/namjai" },
  { name: "better-auth", heading: "Better Auth", packages: ["better-auth"], callback: "/api/auth/callback/namjai" },
  { name: "passport", heading: "Passport", packages: ["passport", "passport-oauth2"], callback: "/auth/namjai/callback" },
  { name: "grant", heading: "Grant", packages: ["grant"], callback: "/connect/namjai/callback" },
];

export async function tryProvider({ name, heading, packages, callback }: Provider, server: DemoServer): Promise<Row> {
  await mkdir(`${folder}/generated/providers`, { recursive: true });
  await writeFile(`${folder}/generated/providers/${name}.mjs`, await settingsOf(heading));
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const client = await server.operate(
    ...["clients", "create", "--name", heading, "--scopes", "read:donations write:donations"],
    ...["--redirect-uri", `${origin}${callback}`],
  );
  const { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } = JSON.parse(client) as { client_id: string; client_secret: string };
  const variables = { PORT: port, API_URL: server.url, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI: `${origin}${callback}` };
  const app = start([node, "programs/provider.ts", name], variables);
  let said = "";
  for (const stream of [app.stdout, app.stderr]) stream.on("data", (part) => (said += part));
  try {
    while (!(await fetch(origin).catch(() => null))) {
      if (app.exitCode !== null) throw new Error("it did not start");
      await sleep(100);
    }
    return { tool: await versions(packages), steps: await logIn(origin, server) };
  } catch (error) {
    return { tool: await versions(packages), steps: { "log in": `${(error as Error).message} ${said.slice(-1_000)}` } };
  } finally {
    const ended = app.exitCode === null && once(app, "exit");
    app.kill("SIGTERM");
    await ended;
  }
}

/** What a browser of the streamer does, with cookies of the application alone: the server's pages are `approve`'s. */
async function logIn(origin: string, { url, apiKey, password }: DemoServer): Promise<Row["steps"]> {
  const cookies = new Map<string, string>();
  const visit = async (address: string) => {
    const headers = { Cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
    const reply = await fetch(address, { redirect: "manual", headers });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=;]*)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = reply.headers.get("location");
    return { to: location === null ? null : new URL(location, address).href, reply };
  };
  let at = `${origin}/login`;
  for (let steps = 0; steps < 10; steps += 1) {
    if (at.startsWith(url)) at = await approve(at, password);
    const { to, reply } = await visit(at);
    if (to === null) {
      const { data } = (await (await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${apiKey}` } })).json()) as Me;
      const known = (await reply.json().catch(async () => ({}))) as { id?: string; name?: string; api?: number };
      const { id, handle } = data.streamer;
      return {
        "log in": reply.ok && at.startsWith(origin) ? "ok" : `${at} was answered ${reply.status}`,
        "know the streamer": known.id === id && known.name === handle ? "ok" : JSON.stringify(known),
        "use the token": known.api === 200 ? "ok" : JSON.stringify(known),
      };
    }
    at = to;
  }
  throw new Error("the redirects do not end");
}

type Me = { data: { streamer: { id: string; handle: string } } };

/** The block of code below a heading of the guide to authentication. */
async function settingsOf(heading: string): Promise<string> {
  const guide = await readFile(`${checkout}/src/docs/guides/authentication.md`, "utf8");
  const [, settings] = guide.split(`\n#### ${heading}\n`)[1]?.match(/```mjs\n(.*?)```/s) ?? [];
  if (!settings) throw new Error(`the guide to authentication has no settings under "${heading}"`);
  return settings;
}

/** `packages`: whose versions the table names. */
type Assistant = { name: string; packages: readonly string[] };

export const assistants: readonly Assistant[] = [
  { name: "sdk", packages: ["@modelcontextprotocol/sdk"] },
  { name: "mcp-remote", packages: ["mcp-remote"] },
  { name: "inspector", packages: ["@modelcontextprotocol/inspector"] },
];

export async function tryAssistant({ name, packages }: Assistant, { url, password }: DemoServer): Promise<Row> {
  const home = await mkdtemp(`${tmpdir()}/namjai-assistant-`); // for what it remembers
  const program = start([node, "programs/assistant.ts", name], { API_URL: url, HOME: home, BROWSER: "true" });
  const timer = setTimeout(() => program.kill("SIGKILL"), 60_000);
  let [outcomes, said] = ["", ""];
  let isApproved = false;
  program.stdout.on("data", (part) => (outcomes += part));
  program.stderr.on("data", async (part) => {
    said += part;
    const [address] = new RegExp(`${url}/oauth/authorize\\?\\S+(?=\\s)`).exec(said) ?? [];
    if (!address || isApproved) return;
    isApproved = true;
    await fetch(await approve(address, password));
  });
  await once(program, "close");
  clearTimeout(timer);
  await rm(home, { recursive: true, force: true });
  const steps = outcomes.startsWith("{") ? JSON.parse(outcomes) : { "register and be approved": `${outcomes}${said}`.slice(-1_500) };
  return { tool: await versions(packages), steps };
}
