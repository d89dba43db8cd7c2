import { expect } from "vitest";

import { faultsOf, problemOf } from "../client/api.ts";
import type { Reply } from "../client/http-client.ts";
import type { Case } from "./cases.ts";
import type { Inputs } from "./inputs.ts";
import type { Broken, Keyword } from "./judge.ts";

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
  minItems: null,
  maxItems: "too_many_items",
  uniqueItems: "not_unique",
  required: "required",
  additionalProperties: "unknown_member",
  unknownParameter: "unknown_parameter",
  repeatedParameter: "repeated_parameter",
};

/** The answer is what the contract makes of the request. */
export function expectVerdict(inputs: Inputs, one: Case, reply: Reply): void {
  if (inputs.operation.path.startsWith("/oauth/")) expectOAuthVerdict(one, reply);
  else if (one.broken.length > 0) expectRefused(one.broken, reply);
  else expectTaken(inputs, one, reply);
}

/** 400 validation_failed, and exactly these faults. */
function expectRefused(broken: readonly Broken[], reply: Reply): void {
  expect([reply.status, problemOf(reply).code], reply.text).toEqual([400, "validation_failed"]);
  const coded = new Set(broken.filter(({ keyword }) => codes[keyword] === null).map(({ at }) => at));
  const faults = faultsOf(reply).map((fault) => (coded.has(fault.slice(0, fault.lastIndexOf(" "))) ? fault.replace(/[^ ]*$/, "*") : fault));
  expect(faults, reply.text).toEqual(broken.map(({ at, keyword }) => `${at} ${codes[keyword] ?? "*"}`).sort());
}

/** A success, or one of the answers that say more about the world than about the request. */
function expectTaken(inputs: Inputs, one: Case, reply: Reply): void {
  if (reply.status < 400) return;
  expect(beside(inputs, one), reply.text).toContain(reply.status);
  // The path is one of the contract's: what is not there is a thing, never the route.
  if (reply.status === 404) expect(problemOf(reply).code, reply.text).not.toBe("route_not_found");
  if (reply.status !== 400) return;
  // A value that has the right form may still mean nothing: an unknown time zone, an end before its beginning.
  expect(problemOf(reply).code, reply.text).not.toBeOneOf(["validation_failed", "malformed_json"]);
}

/** Statuses that a well-formed request may meet: the thing is not there, as the contract says it may be, or in another state, the key is taken, the value means nothing. */
function beside({ operation, body }: Inputs, { field, edge, parts }: Case): number[] {
  const missing = operation.responses["404"] ? [404] : [];
  const keyed = body?.shape.properties.idempotencyKey !== undefined;
  const sent = parts.body?.includes('"idempotencyKey":') ?? false;
  const state = keyed ? (sent ? [409, 422] : []) : operation.responses["409"] ? [409] : [];
  const plain = edge === "there: accepted" && !unguessable.includes(field);
  return [...missing, ...state, ...(parts.query.length > 0 && !plain ? [400] : [])];
}

/** Parameters of which only the server can make a good value. */
const unguessable = ["cursor"];

/** RFC 6749 5.2: a malformed request is invalid_request, whatever the rule; a well-formed one may fail of anything else. */
function expectOAuthVerdict({ broken }: Case, reply: Reply): void {
  const error = (reply.body as { error?: string } | undefined)?.error;
  if (broken.length > 0) expect([reply.status, error], reply.text).toEqual([400, "invalid_request"]);
  else expect([reply.status < 500, error === "invalid_request"], reply.text).toEqual([true, false]);
}
