import type { TestContext } from "vitest";
import { post } from "../client/record-donations.ts";
import { freshKey } from "../generators/donations.ts";
import { clientOf, needsClients } from "../oauth/oauth-client.ts";
import type { Operation } from "../oracle/contract.ts";
import type { Hints } from "./request.ts";

// What no schema can say: which values name something, must be new, or should not disturb a streamer.

const ofDonations: Hints["members"] = {
  idempotencyKey: (required) => (required ? freshKey() : undefined),
  skipAlert: () => true,
};

/** A client that is known, with a token that nobody has. */
const ofClients = (): Hints["members"] => ({
  client_id: () => clientOf("confidential").id,
  client_secret: () => clientOf("confidential").secret,
  grant_type: () => "refresh_token",
  refresh_token: () => "namjai_r1_unknown",
  token: () => "namjai_r1_unknown",
});

/** How to come by what a path parameter names; any other parameter names nothing. */
const subjects: Record<string, () => Promise<string>> = {
  donationId: once(async () => (await post({})).id),
};

/** Skips the test, saying why, where it needs clients and this run has none. */
export async function hintsFor(context: TestContext, { path, requestBody }: Operation): Promise<Hints> {
  if (path.startsWith("/oauth/") && requestBody) {
    needsClients(context);
    return { members: ofClients(), subjects: {} };
  }
  return { members: ofDonations, subjects: await subjectsOf(path) };
}

/** For the parameters of a path that name something there is. */
export async function subjectsOf(path: string): Promise<Record<string, string>> {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name).filter((name) => subjects[name]);
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await subjects[name]?.()])));
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
