// Requests that may take longer than others to arrive, because their bodies have a time limit of their own: a line, or a file.

import type { IncomingMessage } from "node:http";

const marked = new WeakSet<IncomingMessage>();

/** The request is not ended after `timeouts.request` any more: who reads its body ends it. */
export function takeDeadlineOver(request: IncomingMessage): void {
  marked.add(request);
}

export function hasOwnDeadline(request: IncomingMessage): boolean {
  return marked.has(request);
}
