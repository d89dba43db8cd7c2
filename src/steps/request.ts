// What a request means, and whether it is well-formed: openapi-backend asked for all of it, and what the router does.

import { loadContract, type Operation, openBackend } from "../http/contract.ts";
import { readContract } from "../http/document.ts";
import { resolveReferences } from "../http/dereference.ts";
import { often, type Step } from "./compare.ts";
import { body } from "./sample.ts";

const create = { method: "POST", path: "/api/v1/donations", headers: { "content-type": "application/json" } };
const read = { method: "GET", path: "/api/v1/donations/01990000-0000-7000-8000-000000000000", headers: {} };

export async function requestSteps(): Promise<Step[]> {
  const backend = await openBackend(resolveReferences(readContract()));
  const contract = await loadContract();
  const finding = (name: string, asked: typeof create | typeof read): Step => ({
    name,
    before: { how: "openapi-backend's router", repeat: often(() => backend.router.matchOperation(asked)) },
    now: { how: "http/match.ts", repeat: often(() => contract.match(asked.method, asked.path)) },
  });
  const { operation } = contract.match(create.method, create.path) as { operation: Operation };
  const theirs = backend.router.matchOperation(create);
  return [
    finding("operation of POST /donations", create),
    finding("operation of GET /donations/{id}", read),
    {
      name: "checking a donation",
      before: { how: "validateRequest", repeat: often(() => backend.validator.validateRequest({ ...create, body }, theirs)) },
      now: { how: "its validators alone", repeat: often(() => checked(operation)) },
    },
  ];
}

/** Parameters and body, as the router has them checked. */
function checked(operation: Operation) {
  const parameters = { query: {}, path: operation.readPath(create.path), header: create.headers, cookie: {} };
  return [operation.checkParameters(parameters), operation.checkBody({ requestBody: body })];
}
