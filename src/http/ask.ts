// Operations of the contract, asked for from within: for somebody who is known already, with the checks that a request from
// outside goes through, and without HTTP.

import type { Contract } from "./contract.ts";
import { bodyFaults, parameterFaults } from "./faults.ts";
import type { Handlers, OperationId, OperationReply, Principal } from "./operations.ts";
import { Problem } from "./problem.ts";

/** Nothing in it need be checked before. */
export type Question = Readonly<{ path?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }>;

/** Throws what the operation's handler throws, and validation_failed with every fault. */
export type Ask = <Id extends OperationId>(id: Id, principal: Principal, question?: Question) => Promise<OperationReply<Id>>;

export function asking({ operations }: Pick<Contract, "operations">, handlers: Handlers): Ask {
  return (async (id: OperationId, principal: Principal, { path = {}, query = {}, body }: Question = {}) => {
    const operation = operations.find((known) => known.id === id);
    if (!operation) throw new Error(`the contract has no ${id}`);
    const parameters = { path, query: { ...query }, header: {}, cookie: {} };
    const wrapped = { requestBody: structuredClone(body) }; // defaults are filled in
    const faults = parameterFaults(operation.checkParameters(parameters) ?? []);
    if (operation.bodyTypes.length > 0) faults.push(...bodyFaults(operation.checkBody(wrapped) ?? []));
    if (faults.length > 0) throw new Problem("validation_failed", "The request breaks the contract.", { errors: faults });
    const request = { caller: nobody, path, query: parameters.query, header: {}, given: Object.keys(query), body: wrapped.requestBody };
    return (handlers[id] as (asked: object, principal: Principal) => Promise<unknown>)(request, principal);
  }) as Ask;
}

const nobody = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "" };
