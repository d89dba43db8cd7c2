// How derived rules read a 404 in answer to a valid request.

import { describe, expect, test } from "vitest";

import { checkAnswer } from "../../suite/client/check-answer.ts";
import { operationsIn } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { inputsOf } from "../../suite/contract/inputs.ts";
import type { Case } from "../../suite/models/derive/cases.ts";
import { expectVerdict } from "../../suite/models/derive/verdicts.ts";

const validCase: Case = {
  field: "",
  keyword: "type",
  edge: "",
  name: "",
  parts: { path: {}, query: [], headers: {}, body: null },
  broken: [],
};

const notFound = (code: string): Reply => ({ status: 404, headers: {}, text: code, body: { status: 404, code } });

/** Checks the answer to a valid request of an operation that documents these statuses. */
function check(path: string, statuses: string[], reply: Reply): void {
  const responses = Object.fromEntries(statuses.map((status) => [status, {}]));
  const [operation] = operationsIn({ paths: { [path]: { get: { operationId: "getThing", responses } } } });
  if (!operation) throw new Error("the contract has no operation");
  expectVerdict(inputsOf(operation), validCase, reply);
}

describe("404 in answer to a valid request", () => {
  test("404 passes where the operation documents it, whether its path has a parameter or not", () => {
    check("/api/v1/donations/latest", ["200", "404"], notFound("donation_not_found"));
    check("/api/v1/donations/{donationId}", ["200", "404"], notFound("donation_not_found"));
  });

  test("404 fails where the operation does not document it, whether its path has a parameter or not", () => {
    expect(() => check("/api/v1/donations/latest", ["200"], notFound("donation_not_found"))).toThrow();
    expect(() => check("/api/v1/donations/{donationId}", ["200"], notFound("donation_not_found"))).toThrow();
  });

  test("404 with route_not_found fails for an operation of the contract", () =>
    expect(() => check("/api/v1/donations/latest", ["200", "404"], notFound("route_not_found"))).toThrow(/route_not_found/));

  test("404 is reported as undocumented where the operation documents no 404", () =>
    expect(() => checkAnswer({ path: "/api/v1/me" }, notFound("route_not_found"))).toThrow(/status 404 is not documented/));
});
