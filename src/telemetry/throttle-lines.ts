// Holds back floods of the same log line, such as one for each request while the database is away.

import type { LogFn, Logger } from "pino";

type Line = Readonly<{ logger: Logger; method: LogFn; args: unknown[] }>;

const windowMs = 10_000;
/** Lines of one kind that are written in a window. */
const maxLines = 10;
/** More kinds than these are not held back: such lines are no flood of one. */
const maxKinds = 1_000;
const warn = 40;

export type Throttle = Readonly<{
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
  const kinds = new Map<string, { written: number; suppressed: number; last: Line | null; timer: NodeJS.Timeout }>();
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
