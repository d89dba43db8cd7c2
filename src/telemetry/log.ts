// The log: JSON lines by pino, without secrets.

import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from "pino";
import type { LogLevel } from "../config.ts";
import { describeFailure } from "./describe-failure.ts";
import { readableLine } from "./readable-lines.ts";
import { throttleLines } from "./throttle-lines.ts";
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
 * Writes to stderr. On a terminal readable lines at once, otherwise JSON lines that are buffered for half a second at most: call `flush()`
 * before the process ends. Lines of a worker have its number. Floods of the same line are throttled. What is traced has to be known before.
 */
export function makeLog(level: LogLevel, worker?: number): Logger {
  const { logMethod, flush } = throttleLines();
  process.once("exit", flush);
  const options = { ...logOptions(level, worker), hooks: { logMethod } };
  output ??= openOutput(worker);
  return pino(options, output);
}

/** One for all logs of a process, so that their lines keep their order. */
let output: DestinationStream | null = null;

function openOutput(worker?: number): DestinationStream {
  if (process.stderr.isTTY) return readable(destination({ fd: 2, sync: true }));
  const sizes = worker === undefined ? { minLength: 16_000 } : { minLength: pipeBytes - 1_024, maxWrite: pipeBytes };
  return destination({ fd: 2, sync: false, periodicFlush: 500, ...sizes });
}

/** Node's warnings, and errors that nothing has caught, become lines of the log instead of text on stderr. The latter end the process. */
export function logProcessEvents(log: Logger): void {
  process.removeAllListeners("warning"); // Node's own prints text
  process.on("warning", ({ name, message, code }: Error & { code?: string }) => log.warn({ warning: { name, code, message } }, "warning"));
  process.on("uncaughtException", (error: unknown, origin) => {
    log.fatal({ origin, error: describeFailure(error), stack: framesOf(error) }, "an error was not caught, and the process ends");
    process.exit(1);
  });
}

/** Without the message at its beginning, which may quote values. */
function framesOf(error: unknown): string[] {
  const { stack = "" } = error as { stack?: string };
  return stack.split("\n").flatMap((line) => /^ +at (.*)/.exec(line)?.[1] ?? []);
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
