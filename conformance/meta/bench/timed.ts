// One request at a time, timed from the first byte sent to the last byte read, and times as text for the terminal.

import { Agent, request } from "node:http";

export type Timed = { status: number; body: Buffer; firstByteMs: number; ms: number };

/** Closes idle connections long before a server does: a request that is sent while the server closes its connection fails. */
const agent = new Agent({ keepAlive: true, maxSockets: 128, timeout: 5_000 });

export function send(url: string, key: string, json?: string, onChunk?: (chunk: Buffer) => void): Promise<Timed> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const headers = { Authorization: `Bearer ${key}`, ...(json === undefined ? {} : { "Content-Type": "application/json" }) };
    const outgoing = request(url, { agent, method: json === undefined ? "GET" : "POST", headers }, (message) => {
      let firstByteMs = 0;
      const chunks: Buffer[] = [];
      message.on("data", (chunk: Buffer) => {
        firstByteMs ||= performance.now() - start;
        if (onChunk) onChunk(chunk);
        else chunks.push(chunk);
      });
      message.on("error", reject);
      message.on("end", () =>
        resolve({ status: message.statusCode ?? 0, body: Buffer.concat(chunks), firstByteMs, ms: performance.now() - start }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(json);
  });
}

/** The body of a 200. Throws on any other answer. */
export function bodyOf({ status, body }: Timed, url: string): { data: unknown; pagination?: { nextCursor: string | null } } {
  if (status !== 200) throw new Error(`${url} answered ${status}: ${body.toString("utf8").slice(0, 500)}`);
  return JSON.parse(body.toString("utf8"));
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Numbers to the right, the first row above a line. */
export function table(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (/^[\d.,%-]+$/.test(cell) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join("  ")
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return lines.join("\n");
}

export function ms(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)}%`;
}
