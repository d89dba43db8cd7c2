// pino, with everything that could be a secret left out.

import { destination, type Logger, type LoggerOptions, pino } from "pino";
import type { LogLevel } from "../config.ts";

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

/** What a pipe takes in one piece: lines of several workers must not run into each other. */
const wholeBytes = 4_096;

/**
 * JSON lines on stderr, so that what the server says on stdout stays readable. Buffered, for half a second at most; `flush()`
 * before the end. Lines of a worker say which one it is.
 */
export function makeLog(level: LogLevel, worker?: number): Logger {
  const sizes = worker === undefined ? { minLength: 16_000 } : { minLength: wholeBytes - 1_024, maxWrite: wholeBytes };
  return pino(logOptions(level, worker), destination({ fd: 2, sync: false, periodicFlush: 500, ...sizes }));
}

/** What lines hold and leave out, wherever they go. */
export function logOptions(level: LogLevel, worker?: number): LoggerOptions {
  const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return { level, base: worker === undefined ? null : { worker }, redact: { paths, censor: "[redacted]" } };
}
