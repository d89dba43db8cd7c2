// Operations of the contract, asked for from within: for somebody who is known already, with the checks that a request from
// outside goes through, and without HTTP.

import type { Contract } from "./contract.ts";
import { bodyFaults, parameterFaults } from "./faults.ts";
import type { Handlers, OperationId, OperationReply, Principal } from "./operations.ts";
import { unknownParameter } from "./parameters.ts";
import { type Fault, Problem, succeeded } from "./problem.ts";

/** Nothing in it need be checked before. */
export type Question = Readonly<{
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  /** What this asker misses, beside what the contract does. */
  faults?: readonly Fault[];
}>;

/** Throws what the operation's handler throws or refuses, and validation_failed with every fault. */
export type Ask = <Id extends OperationId>(id: Id, principal: Principal, question?: Question) => Promise<OperationReply<Id>>;

export function asking({ operations }: Pick<Contract, "operations">, handlers: Handlers): Ask {
  return (async (id: OperationId, principal: Principal, { path = {}, query = {}, body, faults: own = [] }: Question = {}) => {
    const operation = operations.find((known) => known.id === id);
    if (!operation) throw new Error(`the contract has no ${id}`);
    const [known, strange] = split(query, (name) => operation.query.has(name));
    const parameters = { path, query: known, header: {}, cookie: {} };
    const wrapped = { requestBody: structuredClone(body) }; // defaults are filled in
    const faults = [...own, ...Object.keys(strange).map(unknownParameter), ...parameterFaults(operation.checkParameters(parameters) ?? [])];
    if (operation.bodyTypes.length > 0) faults.push(...bodyFaults(operation.checkBody(wrapped) ?? []));
    if (faults.length > 0) throw new Problem("validation_failed", "The request breaks the contract.", { errors: faults });
    const request = { caller: nobody, path, query: parameters.query, header: {}, given: Object.keys(query), body: wrapped.requestBody };
    const handler = handlers[id] as (asked: object, principal: Principal) => Promise<object>;
    return succeeded(await handler(request, principal));
  }) as Ask;
}

type Values = Record<string, unknown>;

/** The members whose name passes, and the others. Copies: defaults are filled in. */
function split(values: Values, passes: (name: string) => boolean): [Values, Values] {
  const entries = Object.entries(values);
  return [Object.fromEntries(entries.filter(([name]) => passes(name))), Object.fromEntries(entries.filter(([name]) => !passes(name)))];
}

const nobody = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "" };
