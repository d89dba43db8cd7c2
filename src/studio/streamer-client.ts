// The client of a logged-in streamer: calls the contract's operations in the streamer's name, with the same validation as a request.

import type { Settings, SettingsChange } from "../alerts/settings/settings.ts";
import type { Contract } from "../http/contract/contract.ts";
import { allScopes } from "../http/contract/published.ts";
import { etagOf } from "../http/etags.ts";
import { checkCall, makeInvoke, type OperationCall } from "../http/invoke.ts";
import type { Handlers, OperationId, OperationReply, Principal, Scope } from "../http/operations.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import type { Donation } from "./components/donation.ts";

/** Values of an operation's parameters, of any kind: the contract checks them. */
export type Query = Readonly<Record<string, unknown>>;

/** In whose name an operation is called. */
type CallingApplication = Readonly<{ id: string; scopes: readonly Scope[] }>;

/** `as`: one of the streamer's applications; without it the streamer, who may do everything with what is the streamer's own. */
export type StreamerCall = OperationCall & Readonly<{ as?: CallingApplication }>;

type CallOperation = <Id extends OperationId>(streamerId: string, id: Id, call?: StreamerCall) => Promise<OperationReply<Id>>;

export type StreamerClient = Readonly<{
  /** Throws the operation's Problems, and validation_failed with every fault, those of `call.faults` included. */
  call: CallOperation;
  /** The same, and takes a token of the operation's rate limit as a request does. Throws rate_limited as well. */
  callWithinLimit: CallOperation;
  /** Takes the token alone, from a bucket that all pages of the streamer share and the streamer's credentials do not. */
  spend: (streamerId: string, id: OperationId) => Promise<unknown>;
  /** Validates a call by the contract, and calls nothing. Returns the request with the contract's defaults. Throws as `call` does. */
  check: <Id extends OperationId>(id: Id, call: OperationCall) => Parameters<Handlers[Id]>[0];
}>;

type ClientDeps = Readonly<{
  contract: Contract;
  handlers: Handlers;
  limits: Limits;
  /** Resolves to the id of the application in whose name the streamer's test alerts are recorded. */
  studioApplication: (streamerId: string) => Promise<string>;
}>;

export function streamerClient({ contract, handlers, limits, studioApplication }: ClientDeps): StreamerClient {
  const invoke = makeInvoke(contract, handlers);
  const limitOf = new Map(contract.operations.map(({ id, limit }) => [id, limit]));
  const call: CallOperation = async (streamerId, id, { as, ...sent } = {}) => {
    const applicationId = as?.id ?? (id === "sendTestAlert" ? await studioApplication(streamerId) : noApplication);
    return invoke(id, { streamerId, applicationId, scopes: as?.scopes ?? allScopes, credential }, sent);
  };
  const spend = async (streamerId: string, id: OperationId) => {
    const limit = limitOf.get(id);
    return limit && limits.spend(limit, `pages ${streamerId}`);
  };
  return {
    call,
    callWithinLimit: async (streamerId, id, sent) => {
      await spend(streamerId, id);
      return call(streamerId, id, sent);
    },
    spend,
    check: (id, sent) => checkCall(contract, id, sent),
  };
}

/** The id of no application: idempotency keys, which belong to the applications that sent them, are not shown. */
const noApplication = "00000000-0000-0000-0000-000000000000";

/** Stands in for a credential, because a session is not one; handlers read only streamer, application and scopes. */
const credential: Principal["credential"] = { kind: "api_key", id: "studio" };

/** Throws donation_not_found. */
export async function findDonation(client: StreamerClient, streamerId: string, donationId: string): Promise<Donation> {
  return (await client.call(streamerId, "getDonation", { path: { donationId } })).body.data;
}

/** Changes settings that were read. Throws precondition_failed where others have changed them since: every form is then handled again. */
export function changeAlertSettings(client: StreamerClient, streamerId: string, { from, to }: { from: Settings; to: SettingsChange }) {
  return client.call(streamerId, "updateAlertSettings", { header: { "If-Match": etagOf(from) }, body: to });
}

export async function readAlertSettings(client: StreamerClient, streamerId: string): Promise<Settings> {
  return (await client.call(streamerId, "getAlertSettings")).body.data;
}
