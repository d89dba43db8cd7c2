// Authenticates requests, counts them in the rate limits of their credential, and says in whose name they act.

import type { Context } from "koa";
import { type Actor, actAs } from "../audit/actor.ts";
import type { Operation } from "./contract/operation.ts";
import type { Caller, OperationId, Principal, Scope } from "./operations.ts";
import { Problem, problems } from "./problem.ts";
import type { Likelihood, Limits, Spending } from "./rate-limits/rate-limits.ts";

/** Authenticates the header Authorization. */
export type Authenticator = Readonly<{
  /** The principal when it is known without a lookup; null when `verify` has to be called. */
  recall: (authorization: string | undefined) => Principal | null;
  likelihood: (authorization: string | undefined) => Likelihood;
  /** Throws a 401 Problem. */
  verify: (authorization: string | undefined) => Promise<Principal>;
}>;

/** The headers and the address by which a client identifies itself. */
export function callerOf(ctx: Context): Caller {
  const { authorization, cookie, origin, host } = ctx.req.headers;
  return { authorization, cookie, origin, host, address: ctx.ip, userAgent: ctx.req.headers["user-agent"] };
}

/** What of a request is needed to authenticate it. */
type Sender = Readonly<{ req: Readonly<{ headers: Readonly<{ authorization?: string | undefined }> }>; ip: string }>;

/** Returns the principal. A credential that is not known yet is verified after the limit of its address. Throws rate_limited and 401 Problems. */
export async function authenticate(ctx: Sender, { recall, likelihood, verify }: Authenticator, limits: Limits): Promise<Principal> {
  const { authorization } = ctx.req.headers;
  const known = recall(authorization);
  if (known) return known;
  const address = ctx.ip;
  await limits.admit(address, likelihood(authorization));
  try {
    return await verify(authorization);
  } catch (error) {
    if (error instanceof Problem && problems[error.code].status === 401) await limits.failed(address);
    throw error;
  }
}

/** Whether the principal has the scopes that an operation needs, or others that do as well. */
export function hasScopes({ scopes }: Principal, operation: Pick<Operation, "scopes" | "alternatives">): boolean {
  return [operation.scopes ?? [], ...operation.alternatives].some((needed) => needed.every((scope) => scopes.includes(scope)));
}

/** The problem of a valid credential without these scopes. */
export function insufficientScope(scopes: readonly Scope[]): Problem {
  return new Problem("insufficient_scope", `This needs the scope ${scopes.join(" ")}.`, {
    requiredScopes: scopes,
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"` },
  });
}

/** Estimates how many points the answer to a query has at most, before the query is validated. */
export type CountPoints = (query: Readonly<Record<string, unknown>>) => number;

/** The tokens that a request takes from the buckets of its credential and of its streamer. */
export function spendingOf(
  { pointsPerToken }: Pick<Operation, "pointsPerToken">,
  { streamerId }: Principal,
  points: () => number,
): Spending {
  return pointsPerToken === null ? { streamerId } : { streamerId, tokens: Math.max(1, Math.ceil(points() / pointsPerToken)) };
}

/** The bucket of a credential. All access tokens of an application for a streamer share one. */
export function bucketOf({ credential, applicationId, streamerId }: Principal): string {
  return credential.kind === "access_token" ? `${applicationId} ${streamerId}` : credential.id;
}

/** Operations that change something and leave no line in the audit log, each with the reason. Recording a donation must cost nothing more. */
export const unauditedOperations = {
  createDonation: "a donation is its own record: who recorded it, and when",
  sendTestAlert: "records a donation",
  startPlayback: "the overlay says what it plays; the alert keeps it",
  endPlayback: "as startPlayback",
  createEventTicket: "stands for a credential for half a minute, and for what that one may",
  redeliverWebhook: "sends an event again; the list of deliveries has it",
  recoverWebhook: "as redeliverWebhook",
  sendTestEvent: "as redeliverWebhook",
} as const satisfies Partial<Record<OperationId, string>>;

/** Calls the handler of an operation in the name of the request's credential, when what it does is recorded. */
export function actFor<Result>(operation: Operation, { ctx, principal }: Acting, handle: () => Result): Result {
  if (operation.method === "GET" || operation.id in unauditedOperations) return handle();
  return actAs(actorOf(ctx, principal), handle);
}

type Acting = Readonly<{ ctx: Context; principal: Principal }>;

/** The actor of a request. */
export function actorOf(ctx: Context, { streamerId, applicationId, credential }: Principal): Actor {
  const where = { from: ctx.ip, request: ctx.state.requestId as string };
  if (credential.id === "") return { kind: "anonymous", ...where };
  return { ...credential, ...(applicationId !== "" && { application: applicationId }), streamer: streamerId, ...where };
}
