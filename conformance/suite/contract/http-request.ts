// A request that is sent exactly as it says, and the reply to it.

import type { IncomingHttpHeaders } from "node:http";

/** A request that is sent with exactly this path and these bytes. */
export type Request = {
  method?: string;
  path: string;
  /** Address of another process than the one under test. */
  server?: string;
  /** Bearer credential; by default the main key, null for none. */
  key?: string | null;
  /** With `Expect: 100-continue` the body is sent once the server asks for it. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Sends the body chunked, without Content-Length; by default when it is cut. */
  chunked?: boolean;
  /** Sends it in pieces that end at these bytes. */
  cuts?: readonly number[];
  /** Waits for so long before each further piece, so that the server reads the pieces one by one. */
  pauseMs?: number;
};

export type Reply = { status: number; headers: IncomingHttpHeaders; text: string; body: unknown };
