// Assistants that get nothing but the address of the MCP server: each registers itself, is approved by the streamer, and calls tools.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { node } from "../../suite/contract/sources.ts";
import { type Row, start, versions } from "./run.ts";
import { approve, type DemoServer } from "./server.ts";

/** `packages`: whose versions the table names. */
export type Assistant = { name: string; packages: readonly string[] };

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
