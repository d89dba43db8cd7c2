// Expects the answer that the contract demands of a request.

import { expect } from "vitest";

import { faultsOf, problemOf } from "../../client/api.ts";
import type { Reply } from "../../contract/http-request.ts";
import type { Inputs } from "../../contract/inputs.ts";
import type { Broken, Keyword } from "../../contract/validate-value.ts";
import type { Case } from "./cases.ts";

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

/** Expects 400 validation_failed with exactly these faults. */
function expectRefused(broken: readonly Broken[], reply: Reply): void {
  expect([reply.status, problemOf(reply).code], reply.text).toEqual([400, "validation_failed"]);
  const coded = new Set(broken.filter(({ keyword }) => codes[keyword] === null).map(({ at }) => at));
  const faults = faultsOf(reply).map((fault) => (coded.has(fault.slice(0, fault.lastIndexOf(" "))) ? fault.replace(/[^ ]*$/, "*") : fault));
  expect(faults, reply.text).toEqual(broken.map(({ at, keyword }) => `${at} ${codes[keyword] ?? "*"}`).sort());
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

/** Other statuses that a well-formed request may get: the object does not exist or is in another state, the key is used, the value means nothing. */
function otherStatuses({ operation, body }: Inputs, { field, edge, parts }: Case): number[] {
  const missing = operation.responses["404"] ? [404] : [];
  const isSent = (member: string) => body?.shape.properties[member] !== undefined && parts.body?.includes(`"${member}":`) === true;
  const conflict = operation.responses["409"];
  const isOfKeys = JSON.stringify(conflict ?? null).includes("IdempotencyInProgressProblem");
  const conflicts = isOfKeys ? isSent("idempotencyKey") : conflict !== undefined;
  const state = [...(conflicts ? [409] : []), ...(membersWithState.some(isSent) ? [422] : [])];
  const plain = edge === "there: accepted" && !serverMadeParameters.includes(field);
  const mayMeanNothing = parts.query.length > 0 || serverMadeParameters.some((name) => name in parts.headers);
  return [...missing, ...state, ...(mayMeanNothing && !plain ? [400] : [])];
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
