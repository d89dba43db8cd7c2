// Requests that `timeouts.request` does not end, because their bodies have a time limit of their own: a line, or a file.

import type { IncomingMessage } from "node:http";

const exempt = new WeakSet<IncomingMessage>();

/** From now on whoever reads the body of this request ends it, not `timeouts.request`. */
export function exemptFromRequestTimeout(request: IncomingMessage): void {
  exempt.add(request);
}

export function isExempt(request: IncomingMessage): boolean {
  return exempt.has(request);
}
