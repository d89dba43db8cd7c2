// The log: JSON lines by pino, without secrets.

import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from "pino";
import type { LogLevel } from "../config.ts";
import { readableLine } from "./readable-lines.ts";
import { activeTracing, traceFields } from "./tracing.ts";

const secretNames = [
  "authorization",
  "password",
  "token",
  "access_token",
  "refresh_token",
  "client_secret",
  "code_verifier",
  "cookie",
  "apiKey",
];

/** A pipe takes this many bytes in one piece, so that lines of several workers do not mix. */
const pipeBytes = 4_096;

/**
 * Writes to stderr; stdout is for the start message. On a terminal readable lines at once, otherwise JSON lines that are buffered for half a
 * second at most: call `flush()` before the process ends. Lines of a worker have its number. What is traced has to be known before.
 */
export function makeLog(level: LogLevel, worker?: number): Logger {
  if (process.stderr.isTTY) return pino(logOptions(level, worker), readable(destination({ fd: 2, sync: true })));
  const sizes = worker === undefined ? { minLength: 16_000 } : { minLength: pipeBytes - 1_024, maxWrite: pipeBytes };
  return pino(logOptions(level, worker), destination({ fd: 2, sync: false, periodicFlush: 500, ...sizes }));
}

function readable(terminal: DestinationStream): DestinationStream {
  return { write: (json) => terminal.write(readableLine(json)) };
}

/** Which properties lines have, and which are redacted. */
export function logOptions(level: LogLevel, worker?: number): LoggerOptions {
  const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const traced = activeTracing() ? { mixin: traceFields } : {};
  return { level, base: worker === undefined ? null : { worker }, redact: { paths, censor: "[redacted]" }, ...traced };
}
