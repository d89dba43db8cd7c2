// The second server, as the self-tests start it.

import { once } from "node:events";
import { onTestFinished } from "vitest";
import { bugs, type Change } from "../second-server/bugs.ts";
import { newServer, settingsFor } from "../second-server/server.ts";
import { addressOf } from "./fakes.ts";

/** Starts the second server (second-server/), optionally with a bug, until the test is over. Resolves to the command's environment. */
export const foreign = (bug?: keyof typeof bugs): Promise<Record<string, string>> =>
  changed(bug === undefined ? null : (bugs[bug] ?? null));

/** Starts the second server, announcing a limit of 40 requests a second, until the test is over. Resolves to the command's environment. */
export const rateLimited = (): Promise<Record<string, string>> => changed(null, { "RateLimit-Policy": '"default";q=40;w=1' });

/** Starts the second server with this change until the test is over, with `headers` in each answer. Resolves to the command's environment. */
export async function changed(change: Change | null, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const { server, credentials } = newServer(() => change);
  server.prependListener("request", (_, response) => response.setHeaders(new Map(Object.entries(headers))));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return settingsFor(addressOf(server), credentials);
}
