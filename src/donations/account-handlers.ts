// The operation getMe.

import type { BatchedReads } from "../db/batched-reads.ts";
import type { Handler, Principal } from "../http/operations.ts";
import { type Names, namesOf } from "./streamers.ts";

export const getMe = ({ reads }: { reads: BatchedReads }): Handler<"getMe"> => {
  const read = (principal: Principal) => namesOf(reads, principal);
  const readOnce = keepNames(read);
  return async (_request, principal) => {
    const { credential, scopes } = principal;
    if (credential.kind === "overlay_key") throw new Error("the router keeps overlay keys out");
    // The names behind an API key never change; the application of an OAuth client is renamed with its client.
    const { streamer, application } = await (credential.kind === "api_key" ? readOnce : read)(principal);
    return { status: 200, body: { data: { streamer, credential: credential.kind, application, scopes: [...scopes] } } };
  };
};

/** Keeps the names for as long as the credential is cached: its principal is the same object until it is verified again. */
function keepNames(read: (principal: Principal) => Promise<Names>): (principal: Principal) => Names | Promise<Names> {
  const kept = new WeakMap<Principal, Names>();
  const readAndKeep = async (principal: Principal) => {
    const names = await read(principal);
    kept.set(principal, names);
    return names;
  };
  return (principal) => kept.get(principal) ?? readAndKeep(principal);
}
