// In whose name an operation acts, for the audit log.

import type { Context } from "koa";
import { type Actor, actAs } from "../audit/actor.ts";
import type { Operation } from "./contract/contract.ts";
import type { OperationId, Principal } from "./operations.ts";

/** Operations that change something and leave no line in the audit log, each with the reason. Recording a donation must cost nothing more. */
export const unauditedOperations: Readonly<Partial<Record<OperationId, string>>> = {
  createDonation: "a donation is its own record: who recorded it, and when",
  sendTestAlert: "records a donation",
  startPlayback: "the overlay says what it plays; the alert keeps it",
  endPlayback: "as startPlayback",
  createEventTicket: "stands for a credential for half a minute, and for what that one may",
  redeliverWebhook: "sends an event again; the list of deliveries has it",
  recoverWebhook: "as redeliverWebhook",
  sendTestEvent: "as redeliverWebhook",
};

/** Calls the handler of an operation in the name of the request's credential, when what it does is recorded. */
export function actFor<Result>(operation: Pick<Operation, "id" | "method">, { ctx, principal }: Sender, handle: () => Result): Result {
  if (operation.method === "GET" || operation.id in unauditedOperations) return handle();
  return actAs(actorOf(ctx, principal), handle);
}

type Sender = Readonly<{ ctx: Pick<Context, "ip" | "state">; principal: Principal }>;

/** The actor of a request. */
export function actorOf(ctx: Pick<Context, "ip" | "state">, { streamerId, applicationId, credential }: Principal): Actor {
  const where = { from: ctx.ip, request: ctx.state.requestId as string };
  if (credential.id === "") return { kind: "anonymous", ...where };
  return { ...credential, ...(applicationId !== "" && { application: applicationId }), streamer: streamerId, ...where };
}
