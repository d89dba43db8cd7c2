// Steps with access tokens; each works like a key until it is revoked.

import { create, expectProblem, me } from "../client/api.ts";
import { clientOf, expectRevoked, newGrant, refresh, revoke, tokensOf } from "../client/oauth/oauth-client.ts";
import type { Grant, ModelState } from "./donation-state.ts";
import { liveGrant, type Picks, pick } from "./model-picks.ts";
import { newDonation } from "./model-writes.ts";

export async function getToken(state: ModelState): Promise<void> {
  const tokens = await newGrant(clientOf("confidential"));
  const grant: Grant = { tokens, alive: true };
  state.grants.push(grant);
  state.callers.push({ key: tokens.access_token, application: "client", alive: true, grant });
}

/** Older access tokens stay good. */
export async function refreshToken(state: ModelState, [which]: Picks): Promise<void> {
  const grant = liveGrant(state, which);
  grant.tokens = tokensOf(await refresh(clientOf("confidential"), grant.tokens.refresh_token));
  state.callers.push({ key: grant.tokens.access_token, application: "client", alive: true, grant });
}

export async function revokeAccess(state: ModelState, [which, who]: Picks): Promise<void> {
  const grant = liveGrant(state, which);
  const own = state.callers.filter((one) => one.grant === grant && one.alive);
  if (own.length === 0) return;
  const one = pick(own, who);
  expectRevoked(await revoke(clientOf("confidential"), one.key));
  one.alive = false;
}

/** Revokes a grant with all of its access tokens. */
export async function revokeGrant(state: ModelState, [which]: Picks): Promise<void> {
  const grant = liveGrant(state, which);
  expectRevoked(await revoke(clientOf("confidential"), grant.tokens.refresh_token));
  grant.alive = false;
  for (const one of state.callers.filter((other) => other.grant === grant)) one.alive = false;
}

/** Expects a revoked token neither to record nor to read. */
export async function useRevoked(state: ModelState, picks: Picks): Promise<void> {
  const { key } = pick(
    state.callers.filter(({ alive }) => !alive),
    picks[0],
  );
  expectProblem(await create(newDonation(state, picks).body, { key }), 401, "token_revoked");
  expectProblem(await me({ key }), 401, "token_revoked");
}
