// Sends a stream as the body of an answer. `pipeline` of node:stream does the same, but keeps 10 kB for it as long as the answer lasts, and
// streams of events last for hours.

import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";

/**
 * Reads no faster than the client does. When one of the two ends early, the other is destroyed; `onFailure` is called at most once, also
 * for a client that disconnects.
 */
export function pipeBody(body: Readable, response: ServerResponse, onFailure: (error: Error) => void): void {
  let hasFailed = false;
  const fail = (error: Error): void => {
    if (!hasFailed) onFailure(error);
    hasFailed = true;
  };
  body.on("data", (chunk: Buffer) => {
    if (response.destroyed || response.write(chunk)) return;
    body.pause();
    response.once("drain", () => body.resume());
  });
  body.once("end", () => response.end());
  body.on("error", fail);
  body.once("close", () => {
    if (!body.readableEnded) response.destroy();
  });
  response.on("error", fail);
  response.once("close", () => {
    body.destroy();
    if (!response.writableFinished) fail(new Error("the connection was closed before the end of the answer"));
  });
}
