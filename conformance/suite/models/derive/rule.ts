// Declares a derived rule: one test for each operation that has such a rule in its contract.

import fc from "fast-check";
import { expect, test } from "vitest";
import { holdsForEach } from "../../client/holds.ts";
import { send } from "../../client/http-client.ts";
import { ownObjects } from "../../client/protection/own.ts";
import { operations } from "../../contract/contract.ts";
import type { Reply } from "../../contract/http-request.ts";
import { fieldsOf, type Inputs, inputsOf } from "../../contract/inputs.ts";
import type { Keyword } from "../../contract/validate-value.ts";
import { some } from "../../values/depth.ts";
import { cleanUp } from "../../values/file-time.ts";
import { edge, expectEdges, tried } from "../../values/score.ts";
import { target } from "../../values/target.ts";
import { type Case, casesOf, edgeName } from "./cases.ts";
import { keyFor } from "./credentials.ts";
import { edgesOf } from "./edges.ts";
import { hintsFor } from "./hints.ts";
import { addressOf, type Hints, type Parts } from "./request.ts";
import { brokenRules } from "./validate-request.ts";
import { expectVerdict } from "./verdicts.ts";

/** Operations of which no values are derived, each with the reason. */
export const excludedOperations: Record<string, string> = {
  authorize: "answers a person with pages and a client with redirects (RFC 6749 4.1.2.1): rules/oauth/authorize*.test.ts",
};

/** Declares one test for each operation with such a rule: both sides of it, in every field. */
export function derivedRule(title: string, keywords: readonly Keyword[]): void {
  const concerned = operations.filter((one) => !(one.id in excludedOperations) && concerns(inputsOf(one), keywords));
  test.for(concerned.map((operation) => ({ id: operation.id, operation })))(`$id: ${title}`, async ({ operation }, context) => {
    const key = keyFor(context, operation);
    await tryAll(inputsOf(operation), keywords, key, await hintsFor(context, operation));
  });
}

/** Whether the operation has a field in which such a rule can be broken. */
function concerns(inputs: Inputs, keywords: readonly Keyword[]): boolean {
  const fields = fieldsOf(inputs).filter((field) => field.in !== "path");
  const found: Keyword[] = fields.flatMap((field) => edgesOf(field).map(({ keyword }) => keyword));
  if (inputs.parametersAreSealed) found.push("unknownParameter");
  if (inputs.parametersAreSealed && fields.some((field) => field.in === "query")) found.push("repeatedParameter");
  return found.some((keyword) => keywords.includes(keyword));
}

/** Sends the request and checks the answer; the expectation is worked out from the bytes that are sent. */
export async function tryCase(inputs: Inputs, one: Case, key: string | null): Promise<void> {
  const broken = brokenRules(inputs, one.parts);
  if (JSON.stringify(broken) !== JSON.stringify(one.broken))
    throw new Error(`the suite expects ${JSON.stringify(broken)} but the case says otherwise`);
  expectVerdict(inputs, one, await sendParts(inputs, one.parts, key));
  if (one.field === "") return;
  tried(one.field);
  edge(edgeName(one));
}

export function sendParts(inputs: Inputs, parts: Parts, key: string | null): Promise<Reply> {
  const { operation, body } = inputs;
  const headers: Record<string, string> = { ...parts.headers, ...(body ? { "Content-Type": body.mediaType } : {}) };
  return send({
    method: operation.method,
    path: addressOf(inputs, parts),
    key,
    headers,
    ...(parts.body === null ? {} : { body: parts.body }),
  });
}

/** Cases that are tried at once: they change one streamer's settings in turn, and a busy server refuses one that has waited for long (503). */
const atOnce = 8;

async function tryAll(inputs: Inputs, keywords: readonly Keyword[], key: string | null, hints: Hints): Promise<void> {
  const { cases, edges, missed } = casesOf(inputs, keywords, { seed: target().seed, hints });
  if (missed.length > 0) throw new Error(`no value to try for ${missed.join("; ")}: give the schema an example, or teach suite/derive`);
  const shown = cases.map((one) => ({ ...one, [fc.toStringMethod]: () => `${edgeName(one)} (${one.name})` }));
  const values = some(shown, alwaysTried(inputs, shown));
  await restoringState(inputs, key, () => holdsForEach(values, (one) => tryCase(inputs, one, key), atOnce));
  expectEdges(edges);
}

/** The cases that even a quick run tries: one of each edge, and every case of a body, because bodies change data. */
function alwaysTried<T extends Case>({ operation }: Inputs, cases: readonly T[]): T[] {
  const first = new Map(cases.toReversed().map((one) => [edgeName(one), one])).values();
  return [...first, ...cases.filter(({ put }) => put?.field.in === "body" && operation.path.startsWith("/api/"))];
}

// Restores settings and queue after a rule that changes them, and deletes what it has created.

/** The operations that undo others, called only on a server of ours. */
const undoOperations: Record<string, string> = { pauseAlerts: "resumeAlerts", sendTestAlert: "clearAlerts", replayAlert: "clearAlerts" };

/** Runs `act`, then restores the streamer's settings and queue, and deletes the webhooks and files whose ids it was answered. */
export async function restoringState(inputs: Inputs, key: string | null, act: () => Promise<void>): Promise<void> {
  const { id, method, path } = inputs.operation;
  const settings =
    /^(PATCH|PUT)$/.test(method) && operations.some((one) => one.method === "GET" && one.path === path && !path.includes("{"));
  const before = settings ? await send({ path, key }) : null;
  const known = new Set(ownObjects().keys());
  try {
    await act();
  } finally {
    await cleanUp(async () => {
      if (before) await restore(inputs, key, before);
      const undo = target().foreign ? undefined : operations.find((one) => one.id === undoOperations[id]);
      if (undo) await send({ method: undo.method, path: undo.path, key });
      for (const [object, creator] of [...ownObjects()].filter(([one]) => !known.has(one)))
        await send({ method: "DELETE", path: object, key: creator });
    });
  }
}

async function restore({ operation, body }: Inputs, key: string | null, { body: answer }: Reply): Promise<void> {
  const { data } = answer as { data: Record<string, unknown> };
  const known = Object.keys(body?.shape.properties ?? {}).filter((name) => name in data);
  const settings = Object.fromEntries(known.map((name) => [name, data[name]]));
  const headers = { "Content-Type": body?.mediaType ?? "application/json" };
  const reply = await send({ method: operation.method, path: operation.path, key, headers, body: JSON.stringify(settings) });
  expect(reply.status, `the settings could not be put back: ${reply.text}`).toBeLessThan(300);
}
