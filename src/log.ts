// pino, with everything that could be a secret left out.

import { destination, type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";

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

/**
 * JSON lines on stderr, so that what the server says on stdout stays readable. Buffered, for half a second at most; `flush()` before
 * the end.
 */
export function makeLog(level: LogLevel): Logger {
  const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino(
    { level, base: null, redact: { paths, censor: "[redacted]" } },
    destination({ fd: 2, sync: false, minLength: 16_000, periodicFlush: 500 }),
  );
}
