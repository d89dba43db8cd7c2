// An import of lines that is sent in pieces while its answer is read.

import { Agent, request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Request } from "../contract/http-request.ts";
import { target } from "../values/target.ts";
import type { ImportOutcome } from "./imports.ts";
import { expectReadOnly } from "./send-once.ts";
import { recordRequest } from "./trace.ts";

/** An import of lines whose sender sends them in pieces and reads the answer meanwhile. */
export type OpenImport = {
  send: (lines: string) => void;
  /** The outcomes that have arrived. */
  outcomes: () => ImportOutcome[];
  /** Sends bytes that are no chunk (RFC 9112 7.1), so that the body is malformed from there on. */
  breakFraming: () => void;
  /** The status of the answer; null when none has come. */
  status: () => number | null;
  /** Breaks the connection off. */
  disconnect: () => void;
  /** Resolves to whether the answer was complete when the connection ended. */
  ended: Promise<boolean>;
};

const maxAttempts = 30;
/** A server that does much else may take its time. */
const outcomesMs = 30_000;

/**
 * Opens an import, sends the lines and waits until each has its outcome. While the server still records what earlier clients have left behind it
 * may admit no other import (429): it is asked again then. Throws for any other answer.
 */
export async function beginImport(options: Parameters<typeof openImport>[0], lines: readonly string[]): Promise<OpenImport> {
  for (let attempt = 1; ; attempt += 1) {
    const sender = openImport(options);
    sender.send(lines.join(""));
    const deadline = performance.now() + outcomesMs;
    while ((sender.status() ?? 200) === 200 && sender.outcomes().length < lines.length) {
      if (performance.now() > deadline) throw new Error(`${sender.outcomes().length} of ${lines.length} lines have an outcome after 30 s`);
      await sleep(20);
    }
    if ((sender.status() ?? 200) === 200) return sender;
    sender.disconnect();
    if (sender.status() !== 429 || attempt === maxAttempts) throw new Error(`the import was answered ${sender.status()}`);
    await sleep(1_000);
  }
}

/** On a connection of its own. `server`: another than the server under test. */
export function openImport({ importId, key, server }: { importId: string; key?: string; server?: string }): OpenImport {
  const path = `/api/v1/donations/batch?importId=${importId}`;
  const described: Request = { method: "POST", path, headers: { "Content-Type": "application/x-ndjson" }, body: "" };
  expectReadOnly(described);
  recordRequest(described);
  const { url, keys } = target();
  const headers = { ...described.headers, Authorization: `Bearer ${key ?? keys.main}` };
  const outgoing = httpRequest(`${server ?? url}${path}`, { agent: new Agent(), method: "POST", headers });
  let text = "";
  let status: number | null = null;
  const ended = new Promise<boolean>((resolve) => {
    outgoing.on("error", () => resolve(false));
    outgoing.on("response", (message) => {
      status = message.statusCode ?? null;
      message.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      message.on("error", () => {}).on("close", () => resolve(message.complete));
    });
  });
  return {
    send: (lines) => void outgoing.write(lines),
    outcomes: () =>
      (status === 200 ? text : "")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    breakFraming: () => void outgoing.socket?.write("zz\r\n"),
    status: () => status,
    disconnect: () => void outgoing.destroy(),
    ended,
  };
}
