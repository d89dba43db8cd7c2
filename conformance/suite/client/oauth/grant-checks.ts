// Checks whether a grant's tokens are good or refused, by using them.

import { expect } from "vitest";
import type { Client, ClientHolder } from "../../values/target.ts";
import { expectProblem, me } from "../api.ts";
import { expectError, refresh, type Tokens, tokensOf } from "./oauth-client.ts";

/** A client with a secret and one without. */
export const clientKinds: ClientHolder[] = ["confidential", "public"];

/** The scopes of a space-separated list, sorted. */
export const scopesIn = (scope: string | undefined): string[] => (scope ?? "").split(" ").sort();

/** The tokens that a refresh gives; expects it to succeed. */
export const refreshed = async (client: Client, { refresh_token }: Tokens): Promise<Tokens> =>
  tokensOf(await refresh(client, refresh_token));

/** Expects the access token to be good. */
export const expectAccess = async ({ access_token }: Pick<Tokens, "access_token">): Promise<void> =>
  expect((await me({ key: access_token })).status).toBe(200);

/** Expects the access token to be refused with token_revoked. */
export const expectAccessRevoked = async ({ access_token }: Pick<Tokens, "access_token">): Promise<void> =>
  expectProblem(await me({ key: access_token }), 401, "token_revoked");

/** Expects the refresh token to be refused with invalid_grant. */
export const expectRefreshRefused = async (client: Client, { refresh_token }: Tokens): Promise<void> =>
  expectError(await refresh(client, refresh_token), "invalid_grant");

/** Expects both tokens of the grant to be good; uses the refresh token. */
export async function expectGrantAlive(client: Client, tokens: Tokens): Promise<void> {
  await expectAccess(tokens);
  await refreshed(client, tokens);
}

/** Expects every token of the grant to be refused. */
export async function expectGrantRevoked(client: Client, ...all: Tokens[]): Promise<void> {
  for (const tokens of all) await expectAccessRevoked(tokens);
  for (const tokens of all) await expectRefreshRefused(client, tokens);
}
