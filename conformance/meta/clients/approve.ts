// Logs in and approves on the server's pages, as the self-tests do.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { checkout, node } from "../../suite/contract/sources.ts";
import { folder } from "./run.ts";

/** Returns where the streamer is sent to. */
export async function approve(address: string, password: string): Promise<string> {
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
