// Calls the contract's operations in the name of a logged-in streamer, who may do everything with what is the streamer's own.

import type { InvokeOperation, OperationCall } from "../http/invoke.ts";
import type { OperationId, OperationReply, Principal, Scope } from "../http/operations.ts";

/** `applicationId`: in whose name something is recorded; operations that record nothing need none. Throws the operation's Problems. */
export type CallAsStreamer = <Id extends OperationId>(
  streamerId: string,
  id: Id,
  call?: OperationCall,
  applicationId?: string,
) => Promise<OperationReply<Id>>;

/** Validates a call by the contract, and calls nothing. Throws validation_failed with every fault, those of `call.faults` included. */
export type CheckCall = (id: OperationId, call: OperationCall) => void;

export function callAsStreamer(invoke: InvokeOperation, scopes: readonly Scope[]): CallAsStreamer {
  return (streamerId, id, call, applicationId = noApplication) => invoke(id, { streamerId, applicationId, scopes, credential }, call);
}

/** Takes a token of the operation's rate limit from the bucket of a key. Throws rate_limited. */
export type SpendToken = (id: OperationId, key: string) => unknown;

/** Calls that take tokens as requests do, from buckets that all pages of the streamer share and the streamer's credentials do not. */
export function withinLimits(as: CallAsStreamer, spend: SpendToken): CallAsStreamer {
  return async (streamerId, ...call) => {
    await spend(call[0], pagesOf(streamerId));
    return as(streamerId, ...call);
  };
}

/** The key of the buckets that all pages of a streamer share. */
export function pagesOf(streamerId: string): string {
  return `pages ${streamerId}`;
}

/** The id of no application: idempotency keys, which belong to the applications that sent them, are not shown. */
const noApplication = "00000000-0000-0000-0000-000000000000";

/** Stands in for a credential, because a session is not one; handlers of alerts, donations and reports read only streamer and application. */
const credential: Principal["credential"] = { kind: "api_key", id: "studio" };
