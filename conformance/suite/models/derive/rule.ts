// Declares derived rules: one test for each operation that has such a rule in its contract.

import fc from "fast-check";
import { expect, test } from "vitest";
import { faultsOf, problemOf } from "../../client/api.ts";
import { holdsForEach } from "../../client/holds.ts";
import { send } from "../../client/http-client.ts";
import { ownObjects } from "../../client/protection/own.ts";
import { operations } from "../../contract/contract.ts";
import type { Reply } from "../../contract/http-request.ts";
import { fieldsOf, type Inputs, inputsOf } from "../../contract/inputs.ts";
import type { Broken, Keyword } from "../../contract/shape.ts";
import { cleanUp, some } from "../../values/depth.ts";
import { edge, expectEdges, tried } from "../../values/score.ts";
import { target } from "../../values/target.ts";
import { type Case, casesOf, edgeName } from "./cases.ts";
import { edgesOf } from "./edges.ts";
import { hintsFor, keyFor } from "./hints.ts";
import { addressOf, brokenRules, type Hints, type Parts } from "./request.ts";

/** Operations of which no values are derived, each with the reason. */
export const excludedOperations: Record<string, string> = {
  authorize: "answers a person with pages and a client with redirects (RFC 6749 4.1.2.1): rules/oauth/authorize*.test.ts",
};

/** A rule of each operation that has such a keyword in its contract. */
type DerivedRule = { title: string; keywords: readonly Keyword[] };

/**
 * Declares one test for each operation and each of the rules that it has: both sides of it, in every field. They are in the order of the
 * operations, so that a run that ends in time has tried every rule for some of them.
 */
export function derivedRules(rules: readonly DerivedRule[]): void {
  const asked = operations.filter(({ id }) => !(id in excludedOperations));
  const concerned = asked.flatMap((operation) =>
    rules
      .filter(({ keywords }) => concerns(inputsOf(operation), keywords))
      .map(({ title, keywords }) => ({ id: operation.id, title, operation, keywords })),
  );
  test.for(concerned)("$id: $title", async ({ operation, keywords }, context) => {
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

// Expects the answer that the contract demands of a request.

/** The code that the answer gives for each rule; null where the contract has none yet: any will do. */
const codes: Record<Keyword, string | null> = {
  type: "invalid_type",
  enum: "invalid_enum",
  minLength: "too_short",
  maxLength: "too_long",
  pattern: "invalid_format",
  format: null,
  minimum: "out_of_range",
  maximum: "out_of_range",
  exclusiveMinimum: "out_of_range",
  exclusiveMaximum: "out_of_range",
  minItems: "too_few_items",
  maxItems: "too_many_items",
  uniqueItems: "not_unique",
  required: "required",
  additionalProperties: "unknown_member",
  unknownParameter: "unknown_parameter",
  repeatedParameter: "repeated_parameter",
};

/** Expects the answer that the contract demands for the request. */
export function expectVerdict(inputs: Inputs, one: Case, reply: Reply): void {
  if (inputs.operation.path.startsWith("/oauth/")) expectOAuthVerdict(one, reply);
  else if (one.broken.length > 0) expectRefused(one.broken, reply);
  else expectAccepted(inputs, one, reply);
}

/** Faults that no schema states: a zone that there is not, an end before its beginning. */
const unstated = ["timezone invalid_format", "to out_of_range", "maxAmount out_of_range"];

/** Expects 400 validation_failed with exactly these faults, and those that no schema states. */
function expectRefused(broken: readonly Broken[], reply: Reply): void {
  expect([reply.status, problemOf(reply).code], reply.text).toEqual([400, "validation_failed"]);
  const coded = new Set(broken.filter(({ keyword }) => codes[keyword] === null).map(({ at }) => at));
  const faults = faultsOf(reply).map((fault) => (coded.has(fault.slice(0, fault.lastIndexOf(" "))) ? fault.replace(/[^ ]*$/, "*") : fault));
  const stated = broken.map(({ at, keyword }) => `${at} ${codes[keyword] ?? "*"}`).sort();
  const others = faults.filter((fault) => stated.includes(fault) || !unstated.includes(fault));
  expect(others, reply.text).toEqual(stated);
}

/** Expects a success, or an answer that is about the state of the server and not about the request. */
function expectAccepted(inputs: Inputs, one: Case, reply: Reply): void {
  if (reply.status < 400) return;
  expect(otherStatuses(inputs, one), reply.text).toContain(reply.status);
  // The path is one of the contract's: what is not there is a thing, never the route.
  if (reply.status === 404) expect(problemOf(reply).code, reply.text).not.toBe("route_not_found");
  if (reply.status !== 400) return;
  // A value that has the right form may still mean nothing: an unknown time zone, an end before its beginning.
  expect(problemOf(reply).code, reply.text).not.toBeOneOf(["validation_failed", "malformed_json"]);
}

/**
 * Other statuses that a well-formed request may get: the object does not exist, is in another state or not the one of If-Match, the key is used,
 * the value means nothing.
 */
function otherStatuses({ operation, body }: Inputs, { field, edge, parts }: Case): number[] {
  const missing = operation.responses["404"] ? [404] : [];
  const isSent = (member: string) => body?.shape.properties[member] !== undefined && parts.body?.includes(`"${member}":`) === true;
  const conflict = operation.responses["409"];
  const isOfKeys = JSON.stringify(conflict ?? null).includes("IdempotencyInProgressProblem");
  const conflicts = isOfKeys ? isSent("idempotencyKey") : conflict !== undefined;
  const state = [...(conflicts ? [409] : []), ...(membersWithState.some(isSent) ? [422] : [])];
  const precondition = operation.responses["412"] && "If-Match" in parts.headers ? [412] : [];
  const plain = edge === "there: accepted" && !serverMadeParameters.includes(field);
  const mayMeanNothing = parts.query.length > 0 || serverMadeParameters.some((name) => name in parts.headers);
  return [...missing, ...state, ...precondition, ...(mayMeanNothing && !plain ? [400] : [])];
}

/** Members of bodies that the server may refuse with 422, although they have the form that the contract asks for. */
const membersWithState = ["idempotencyKey", "url", "variations"];

/** Parameters whose valid values only the server can create. */
const serverMadeParameters = ["cursor", "Last-Event-ID"];

/** RFC 6749 5.2: a malformed request is invalid_request, whatever the rule; a well-formed one may fail of anything else. */
function expectOAuthVerdict({ broken }: Case, reply: Reply): void {
  const error = (reply.body as { error?: string } | undefined)?.error;
  if (broken.length > 0) expect([reply.status, error], reply.text).toEqual([400, "invalid_request"]);
  else expect([reply.status < 500, error === "invalid_request"], reply.text).toEqual([true, false]);
}
