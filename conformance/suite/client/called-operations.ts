// Notes which operations of the contract each rule calls, whatever client sends the request.

import { subscribe } from "node:diagnostics_channel";

import { operationAt } from "../contract/contract.ts";
import { running } from "../values/running.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Ids of the operations that the rule has called, on any server. */
    operations?: string[];
  }
}

/** The channels on which Node names each request: those of `node:http`, and those of `fetch` and `WebSocket`. */
const channels = ["http.client.request.start", "undici:request:create"];

let isSubscribed = false;

/** Notes from now on, for the running rule. What a hook around a whole file calls belongs to no rule. */
export function noteCalledOperations(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  for (const channel of channels) subscribe(channel, (message) => noteCall((message as { request: Call }).request));
}

type Call = { method: string; path: string };

function noteCall({ method, path }: Call): void {
  const test = running();
  const id = operationAt(method, path.split("?", 1)[0] ?? "")?.id;
  if (!test || id === undefined) return;
  test.meta.operations ??= [];
  if (!test.meta.operations.includes(id)) test.meta.operations.push(id);
}
