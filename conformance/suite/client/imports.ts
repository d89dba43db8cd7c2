// The operation that imports donations, in both of its forms.

import { expect } from "vitest";

import type { components } from "../../../generated/api.d.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { queryText } from "./api.ts";
import { expectWholeLines } from "./event-source.ts";
import { send } from "./http-client.ts";

export type ImportOutcome = components["schemas"]["ImportOutcome"];

type Options = Omit<Request, "path" | "body"> & { importId?: string };

/** The two forms of an import: a list, and lines. */
export const forms = ["JSON", "NDJSON"] as const;
export type Form = (typeof forms)[number];

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
