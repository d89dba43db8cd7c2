// Calls operations of the contract inside the program, without HTTP: for a principal that is authenticated already, with the same validation as
// a request.

import { type Contract, operationOf } from "./contract/contract.ts";
import { bodyFaults, parameterFaults } from "./contract/faults.ts";
import { unknownParameter, unstatedFaults } from "./contract/parameters.ts";
import type { Handlers, OperationId, OperationReply, Principal } from "./operations.ts";
import { type Fault, Problem, succeeded } from "./problem.ts";

/** The values of a call. They are validated by the contract. */
export type OperationCall = Readonly<{
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  header?: Record<string, string>;
  body?: unknown;
  /** Faults that the caller found itself, reported together with those of the contract. */
  faults?: readonly Fault[];
}>;

/** Throws the problems of the operation's handler, and validation_failed with every fault. */
export type InvokeOperation = <Id extends OperationId>(id: Id, principal: Principal, call?: OperationCall) => Promise<OperationReply<Id>>;

export function makeInvoke(contract: Contract, handlers: Handlers): InvokeOperation {
  return (async (id: OperationId, principal: Principal, call: OperationCall = {}) => {
    const handler = handlers[id] as (request: object, principal: Principal) => Promise<object>;
    return withBody(succeeded(await handler(checkCall(contract, id, call), principal)));
  }) as InvokeOperation;
}

/** Returns the request that a handler gets, with the defaults of the contract. Throws validation_failed with every fault. */
export function checkCall<Id extends OperationId>(
  contract: Contract,
  id: Id,
  { path = {}, query = {}, header = {}, body, faults: ownFaults = [] }: OperationCall,
): Parameters<Handlers[Id]>[0] {
  const operation = operationOf(contract, id);
  const [known, unknown] = split(query, (name) => operation.query.has(name));
  const parameters = { path, query: known, header, cookie: {} };
  const wrapped = { requestBody: structuredClone(body) }; // defaults are filled in
  const faults = [
    ...ownFaults,
    ...Object.keys(unknown).map(unknownParameter),
    ...parameterFaults(operation.checkParameters(parameters) ?? []),
  ];
  faults.push(...unstatedFaults(operation, known, faults));
  if (operation.bodyTypes.length > 0) faults.push(...bodyFaults(operation.checkBody(wrapped) ?? []));
  if (faults.length > 0) throw new Problem("validation_failed", "The request breaks the contract.", { errors: faults });
  return { caller: noCaller, path, query: parameters.query, header, given: Object.keys(query), body: wrapped.requestBody } as never;
}

function withBody(reply: object & { json?: Buffer | string }): object {
  const { json, ...others } = reply;
  return json === undefined ? reply : { ...others, body: JSON.parse(json.toString()) };
}

type Values = Record<string, unknown>;

/** The members whose name passes, and the others, in new objects, because defaults are filled in. */
function split(values: Values, passes: (name: string) => boolean): [Values, Values] {
  const entries = Object.entries(values);
  return [Object.fromEntries(entries.filter(([name]) => passes(name))), Object.fromEntries(entries.filter(([name]) => !passes(name)))];
}

const noCaller = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "" };
