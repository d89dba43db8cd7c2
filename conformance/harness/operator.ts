import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { checkout, node } from "./server.ts";
import type { Operator } from "./target.ts";

/** Runs the operator's CLI beside the running server; answers what it printed. */
export async function cli({ env }: Operator, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(node, ["src/cli.ts", ...words], { cwd: checkout, env });
  return stdout.trim();
}

export const addStreamer = (operator: Operator, handle: string): Promise<string> => cli(operator, "streamers", "create", handle);

/** A new API key: the CLI prints it alone, once. */
export const addKey = (operator: Operator, handle: string, scopes: string, application?: string): Promise<string> =>
  cli(operator, "keys", "create", "--streamer", handle, "--scopes", scopes, ...(application ? ["--application", application] : []));

/** Records a donation that did not come through the API. */
export const addDonation = (operator: Operator, source: "native" | "test", channel: string, amount: number): Promise<string> =>
  cli(operator, "donations", "add", "--streamer", operator.handle, "--source", source, "--channel", channel, "--amount", String(amount));
