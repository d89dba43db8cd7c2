// Provides values that no schema can state: those that must name an object, be new, or not disturb a streamer.

import type { TestContext } from "vitest";
import { post } from "../../client/api.ts";
import { clientOf, needsClients } from "../../client/oauth/oauth-client.ts";
import type { Operation } from "../../contract/contract.ts";
import { freshKey } from "../../values/donations.ts";
import type { Hints } from "./request.ts";

const ofDonations: Hints["members"] = {
  idempotencyKey: (required) => (required ? freshKey() : undefined),
  skipAlert: () => true,
};

/** A registered client with a token that was never issued. */
const ofClients = (): Hints["members"] => ({
  client_id: () => clientOf("confidential").id,
  client_secret: () => clientOf("confidential").secret,
  grant_type: () => "refresh_token",
  refresh_token: () => "namjai_r1_unknown",
  token: () => "namjai_r1_unknown",
});

/** Creates the object that a path parameter names; other parameters name nothing. */
const subjects: Record<string, () => Promise<string>> = {
  donationId: memoized(async () => (await post({})).id),
};

/** Hints for the operation; skips the test with a reason where it needs clients and this run has none. */
export async function hintsFor(context: TestContext, { path, requestBody }: Operation): Promise<Hints> {
  if (path.startsWith("/oauth/") && requestBody) {
    needsClients(context);
    return { members: ofClients(), subjects: {} };
  }
  return { members: ofDonations, subjects: await subjectsOf(path) };
}

/** Values for the path parameters that name existing objects. */
export async function subjectsOf(path: string): Promise<Record<string, string>> {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name).filter((name) => subjects[name]);
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await subjects[name]?.()])));
}

function memoized<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
