// The log: JSON lines by pino, without secrets. Lines are readable on a terminal, and floods are held back.

import { type DestinationStream, destination, type LogFn, type Logger, type LoggerOptions, pino } from "pino";
import type { LogLevel } from "../config.ts";
import { describeFailure } from "./describe-failure.ts";
import { type LogOutput, openLogOutput } from "./log-output.ts";
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
 * Writes to stderr. On a terminal readable lines at once, otherwise JSON lines that are buffered for half a second at most, or until the
 * process ends. Lines of a worker have its number. Floods of the same line are throttled. What is traced has to be known before.
 */
export function makeLog(level: LogLevel, worker?: number): Logger {
  const { logMethod, flush } = throttleLines();
  const options = { ...logOptions(level, worker), hooks: { logMethod } };
  const stream = (output ??= openOutput(worker));
  process.once("exit", () => {
    flush();
    stream.flushSync();
  });
  return pino(options, stream);
}

/** One for all logs of a process, so that their lines keep their order. */
let output: LogOutput | null = null;

function openOutput(worker?: number): LogOutput {
  if (process.stderr.isTTY) return readable(destination({ fd: 2, sync: true }));
  const sizes = worker === undefined ? { minBytes: 16_000, maxBytes: 16_384 } : { minBytes: pipeBytes - 1_024, maxBytes: pipeBytes };
  return openLogOutput({ fd: 2, ...sizes });
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

function readable(terminal: DestinationStream): LogOutput {
  return { write: (json) => terminal.write(readableLine(json)), flushSync: () => {} };
}

/** Which properties lines have, and which are redacted. */
export function logOptions(level: LogLevel, worker?: number): LoggerOptions {
  const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const traced = activeTracing() ? { mixin: traceFields } : {};
  return { level, base: worker === undefined ? null : { worker }, redact: { paths, censor: "[redacted]" }, ...traced };
}

// Log lines for people: what pino writes as JSON, one readable line each, for a terminal.

type Line = { level: number; time: number; msg?: string; method?: string; path?: string; status?: number; ms?: number } & Record<
  string,
  unknown
>;

const levels: Record<number, string> = {
  10: "trace",
  20: "debug",
  30: "info ",
  40: "\u001b[33mwarn\u001b[0m ",
  50: "\u001b[31merror\u001b[0m",
  60: "\u001b[31mfatal\u001b[0m",
};

/** `12:30:01 info  GET /api/v1/me 200 0.4 ms requestId=…`, from a line of JSON. An error's stack stands on lines of its own. */
export function readableLine(json: string): string {
  const { level, time, msg, ...others } = JSON.parse(json) as Line;
  const { method, path, status, ms, ...rest } = others;
  const isRequest = method !== undefined && status !== undefined;
  const subject = isRequest ? `${method} ${path} ${status} ${ms} ms` : msg;
  const { err, ...members } = isRequest ? rest : others;
  const pairs = Object.entries(members).map(([name, value]) => ` ${name}=${inWord(value)}`);
  const clock = new Date(time).toTimeString().slice(0, 8);
  return `${clock} ${levels[level] ?? level} ${printable(subject ?? "")}${pairs.join("")}\n${stackOf(err)}`;
}

/** A text of plain characters as it is, anything else as JSON. */
function inWord(value: unknown): string {
  return typeof value === "string" && /^[\w./:@{}()+-]+$/.test(value) ? value : printable(JSON.stringify(value));
}

function stackOf(err: unknown): string {
  const stack = (err as { stack?: unknown } | undefined)?.stack;
  return typeof stack === "string" ? `${stack.split("\n").map(printable).join("\n")}\n` : "";
}

/** Without characters that a terminal obeys: a message may quote what a stranger sent. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, " ");
}

// Holds back floods of the same log line, such as one for each request while the database is away.

type HeldLine = Readonly<{ logger: Logger; method: LogFn; args: unknown[] }>;

const windowMs = 10_000;
/** Lines of one kind that are written in a window. */
const maxLines = 10;
/** More kinds than these are not held back: such lines are no flood of one. */
const maxKinds = 1_000;
const warn = 40;

type Throttle = Readonly<{
  /** pino's hook of this name. */
  logMethod: (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void;
  /** Writes what is held back. */
  flush: () => void;
}>;

/**
 * Of the same line of level warn or above ten are written in ten seconds. The last of the others is written at the end of that time, with
 * `suppressed`: how many more there were. Lines are the same whose message, error code, path and status are.
 */
export function throttleLines(): Throttle {
  const kinds = new Map<string, { written: number; suppressed: number; last: HeldLine | null; timer: NodeJS.Timeout }>();
  const endWindow = (key: string) => {
    const kind = kinds.get(key);
    kinds.delete(key);
    clearTimeout(kind?.timer);
    if (!kind?.last) return;
    const { logger, method, args } = kind.last;
    method.apply(logger, (kind.suppressed === 1 ? args : withCount(args, kind.suppressed - 1)) as Parameters<LogFn>);
  };
  return {
    logMethod(args, method, level) {
      const key = level < warn ? null : keyOf(args, level);
      if (key === null || (kinds.size >= maxKinds && !kinds.has(key))) return method.apply(this, args);
      const kind = kinds.get(key) ?? { written: 0, suppressed: 0, last: null, timer: setTimeout(endWindow, windowMs, key).unref() };
      kinds.set(key, kind);
      if (kind.written < maxLines) {
        kind.written += 1;
        return method.apply(this, args);
      }
      kind.suppressed += 1;
      kind.last = { logger: this, method, args };
    },
    flush: () => {
      for (const key of kinds.keys()) endWindow(key);
    },
  };
}

type Members = { error?: { code?: unknown; name?: unknown }; path?: unknown; status?: unknown };

function keyOf(args: readonly unknown[], level: number): string {
  const [members, message] = typeof args[0] === "object" ? [args[0] as Members, args[1]] : [{}, args[0]];
  const { error, path, status } = members ?? {};
  return JSON.stringify([level, message, error?.code ?? error?.name, path, status]);
}

function withCount([first, ...others]: readonly unknown[], suppressed: number): unknown[] {
  return typeof first === "object" ? [{ ...first, suppressed }, ...others] : [{ suppressed }, first, ...others];
}

// Logs one line when a dependency becomes unavailable and one when it is available again, however often it is tried in between.

export type Outage = { begins: (error: unknown) => void; ends: () => void };

/** `what` begins both log lines. */
export function watchOutage(log: Logger, what: string): Outage {
  let isOut = false;
  return {
    begins: (error) => {
      if (!isOut) log.warn({ error: describeFailure(error) }, `${what} cannot be used; trying again until it can`);
      isOut = true;
    },
    ends: () => {
      if (isOut) log.info(`${what} is back`);
      isOut = false;
    },
  };
}
