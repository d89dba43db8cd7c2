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
