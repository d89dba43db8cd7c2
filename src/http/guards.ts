// Who asks, and whether it may: what every request with a credential goes through.

import type { Context } from "koa";
import type { Operation } from "./contract.ts";
import type { Caller, Principal, Scope } from "./operations.ts";
import { Problem, problems } from "./problem.ts";
import type { Limits, Spending } from "./rate-limits/rate-limits.ts";

/**
 * How likely a credential is good, as far as can be said without looking it up. `proven`: it was, when it was looked up last.
 * `plausible`: it has the form of one. `none`: it can't be one.
 */
export type Standing = "proven" | "plausible" | "none";

/** Finds out who asks, from the header Authorization. */
export type Authenticator = Readonly<{
  /** Who asks, when that is known and needs no look-up; null: ask `verify`. */
  recall: (authorization: string | undefined) => Principal | null;
  standing: (authorization: string | undefined) => Standing;
  /** Throws a 401 Problem. */
  verify: (authorization: string | undefined) => Promise<Principal>;
}>;

/** What the sender says of itself. */
export function callerOf(ctx: Context): Caller {
  const { authorization, cookie, origin, host } = ctx.req.headers;
  return { authorization, cookie, origin, host, address: ctx.ip };
}

/** A credential that is known to be good; else the address limit, then the credential. */
export async function identified(ctx: Context, { recall, standing, verify }: Authenticator, limits: Limits): Promise<Principal> {
  const { authorization } = ctx.req.headers;
  const known = recall(authorization);
  if (known) return known;
  const address = ctx.ip;
  await limits.admit(address, standing(authorization));
  try {
    return await verify(authorization);
  } catch (error) {
    if (error instanceof Problem && problems[error.code].status === 401) await limits.failed(address);
    throw error;
  }
}

/** The credential is good, and not for this. */
export function lacking(scopes: readonly Scope[]): Problem {
  return new Problem("insufficient_scope", `This needs the scope ${scopes.join(" ")}.`, {
    requiredScopes: scopes,
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"` },
  });
}

/** How many points the answer to a query has at most, where it is limited by them: an estimate before anything is checked. */
export type CountPoints = (query: Readonly<Record<string, unknown>>) => number;

/** What a request takes from the buckets of its credential and of its streamer. */
export function spendingOf(
  { pointsPerToken }: Pick<Operation, "pointsPerToken">,
  { streamerId }: Principal,
  points: () => number,
): Spending {
  return pointsPerToken === null ? { streamerId } : { streamerId, tokens: Math.max(1, Math.ceil(points() / pointsPerToken)) };
}

/** Which bucket a credential empties: an access token is one of many that an application gets for a streamer, and they share one. */
export function bucketOf({ credential, applicationId, streamerId }: Principal): string {
  return credential.kind === "access_token" ? `${applicationId} ${streamerId}` : credential.id;
}
