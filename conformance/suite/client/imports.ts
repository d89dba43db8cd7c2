// The operation that imports donations, in both of its forms.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { components } from "../../../generated/api.d.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { target } from "../values/target.ts";
import { queryText } from "./api.ts";
import { startAlone } from "./connections.ts";
import { expectWholeLines } from "./events/event-stream.ts";
import { send } from "./http-client.ts";
import { noteRecorded } from "./protection/guard.ts";
import { expectReadOnly } from "./send-once.ts";
import { recordRequest } from "./trace.ts";

export type ImportOutcome = components["schemas"]["ImportOutcome"];

type Options = Omit<Request, "path" | "body"> & { importId?: string };

/** The two forms of an import: a list, and lines. */
export const forms = ["JSON", "NDJSON"] as const;
type Form = (typeof forms)[number];

/** POST /api/v1/donations/batch with these donations. */
export function importAll(form: Form, donations: readonly unknown[], options: Options = {}): Promise<Reply> {
  if (form === "JSON") return postImport("application/json", JSON.stringify({ donations }), options);
  return importLines(donations.map((donation) => `${JSON.stringify(donation)}\n`).join(""), options);
}

/** The same with these bytes as lines. */
export const importLines = (lines: string | Uint8Array, options: Options = {}): Promise<Reply> =>
  postImport("application/x-ndjson", lines, options);

function postImport(type: string, body: string | Uint8Array, { importId, headers, ...options }: Options): Promise<Reply> {
  const path = `/api/v1/donations/batch${queryText(importId === undefined ? {} : { importId })}`;
  return send({ method: "POST", path, ...options, headers: { "Content-Type": type, ...headers }, body });
}

/** The outcomes of an import, in either form. */
export function outcomesOf(reply: Reply): ImportOutcome[] {
  expect(reply.status, reply.text).toBe(200);
  if (reply.headers["content-type"]?.startsWith("application/json"))
    return (reply.body as { data: { outcomes: ImportOutcome[] } }).data.outcomes;
  expectWholeLines(reply.text);
  const lines = reply.text.split("\n");
  expect(lines.pop(), "the last line has a line feed").toBe("");
  return lines.map((line) => JSON.parse(line));
}

/** Each outcome in a word: its status, or the code of its problem. */
export const verdictsOf = (reply: Reply): (number | string)[] => {
  const outcomes = outcomesOf(reply);
  const emptyLines = outcomes.at(-1)?.problem?.emptyLines ?? 0;
  const places = outcomes.slice(0, emptyLines > 0 ? -1 : undefined).map(({ index }) => index);
  const inOrder = emptyLines > 0 ? [...new Set(places)].sort((a, b) => a - b) : places.map((_, place) => place);
  expect(places, "outcomes are in the order of the donations").toEqual(inOrder);
  return outcomes.map(({ status, problem }) => problem?.code ?? status);
};

/** The faults of one donation, as "<pointer> <code>", sorted. */
export const faultsOfOutcome = ({ problem }: ImportOutcome): string[] =>
  (problem?.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).sort();

// An import of lines that is sent in pieces while its answer is read.

/** An import of lines whose sender sends them in pieces and reads the answer meanwhile. */
type OpenImport = {
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
  const described: Request = {
    method: "POST",
    path,
    ...(key !== undefined && { key }),
    headers: { "Content-Type": "application/x-ndjson" },
    body: "",
  };
  expectReadOnly(described);
  recordRequest(described);
  const { url, keys } = target();
  const headers = { ...described.headers, Authorization: `Bearer ${key ?? keys.main}` };
  const outgoing = startAlone(`${server ?? url}${path}`, { method: "POST", headers });
  let text = "";
  let status: number | null = null;
  const ended = new Promise<boolean>((resolve) => {
    outgoing.on("error", () => resolve(false));
    outgoing.on("response", (message) => {
      status = message.statusCode ?? null;
      message.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      message
        .on("error", () => {})
        .on("close", () => {
          noteRecorded(described, { status: status ?? 0, body: undefined, text });
          resolve(message.complete);
        });
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
