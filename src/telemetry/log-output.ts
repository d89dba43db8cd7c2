// Writes lines of the log to stderr in the background. Neither a request nor the end of the process waits for it without end.

import { write, writeSync } from "node:fs";
import type { DestinationStream } from "pino";

export type LogOutput = DestinationStream & {
  /** Writes what waits, as far as it can be written. Call it before the process ends. */
  flushSync: () => void;
};

type Options = Readonly<{
  fd: number;
  /** As soon as this many bytes wait, they are written; fewer within half a second. */
  minBytes: number;
  /** Lines are written together up to this many bytes. */
  maxBytes: number;
}>;

const flushMs = 500;
/** A pipe that is full is tried again after this time. */
const retryMs = 20;
/** How long a pipe that is full keeps a process from its end. */
const maxFlushMs = 1_000;
/** Lines beyond this are dropped. */
const maxWaitingBytes = 4 * 1_048_576;

/**
 * While nothing can be written, as on a full disk or behind a reader that hangs, lines wait. They are written as soon as it works again, and
 * one more says how many were dropped.
 */
export function openLogOutput({ fd, minBytes, maxBytes }: Options): LogOutput {
  /** In their order. The first one is being written if `isWriting`. */
  const waiting: Buffer[] = [];
  let lines: string[] = [];
  let [lineBytes, waitingBytes, dropped] = [0, 0, 0];
  let isWriting = false;

  const closePart = () => {
    if (lines.length > 0) waiting.push(Buffer.from(lines.join("")));
    [lines, lineBytes] = [[], 0];
  };
  const add = (line: string) => {
    const bytes = Buffer.byteLength(line);
    if (waitingBytes + bytes > maxWaitingBytes) return void (dropped += 1);
    if (lineBytes + bytes > maxBytes) closePart();
    lines.push(line);
    lineBytes += bytes;
    waitingBytes += bytes;
  };
  const remove = (written: number) => {
    const rest = waiting.shift()?.subarray(written);
    if (rest?.length) waiting.unshift(rest);
    waitingBytes -= written;
    if (dropped === 0 || waiting.length > 0) return;
    const line = { level: 40, time: Date.now(), dropped, msg: "lines of the log were dropped: they could not be written" };
    dropped = 0;
    add(`${JSON.stringify(line)}\n`);
  };
  const writeNext = () => {
    if (isWriting) return;
    if (waiting.length === 0) closePart();
    if (!waiting[0]) return;
    isWriting = true;
    write(fd, waiting[0], (error, written) => {
      isWriting = false;
      if (error?.code === "EAGAIN") setTimeout(writeNext, retryMs).unref();
      if (error) return; // the interval tries again
      remove(written);
      if (waiting.length > 0 || lineBytes >= minBytes) writeNext();
    });
  };
  setInterval(writeNext, flushMs).unref();
  return {
    write: (line) => {
      add(line);
      if (waitingBytes >= minBytes) writeNext();
    },
    flushSync: () => {
      closePart();
      const bytes = Buffer.concat(waiting.splice(isWriting ? 1 : 0));
      waitingBytes -= bytes.length;
      writeAtOnce(fd, bytes);
    },
  };
}

/** Gives up when it fails, as on a full disk. */
function writeAtOnce(fd: number, bytes: Buffer): void {
  const end = performance.now() + maxFlushMs;
  for (let rest = bytes; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || performance.now() > end) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
    }
  }
}
