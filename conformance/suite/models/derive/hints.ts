// Provides what no schema can state: values that must name an object, be new, or not disturb a streamer, and credentials.

import type { TestContext } from "vitest";
import { post } from "../../client/api.ts";
import { clientOf, needsClients } from "../../client/oauth/oauth-client.ts";
import type { Operation } from "../../contract/contract.ts";
import { freshKey } from "../../values/donations.ts";
import { target } from "../../values/target.ts";
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

// Chooses credentials by the contract's security requirements.

/** Security schemes of the contract that are a Bearer credential, and who of the run holds one. */
const holders: Record<string, string> = { Credential: "main", OverlayKey: "overlay" };

/** Schemes that the OAuth rule files test: a client's name and secret. */
const clientSchemes = ["BasicAuth"];

/** Whether the operation needs a Bearer credential. */
export const guarded = ({ security }: Operation): boolean => security.length > 0 && security.every((one) => schemeOf(one) !== null);

export const schemesOf = ({ security }: Operation): string[] => security.flatMap((one) => schemeOf(one) ?? []);

const schemeOf = (requirement: Record<string, string[]>): string | null =>
  Object.keys(requirement).find((name) => !clientSchemes.includes(name)) ?? null;

/** The credential of a scheme; undefined: this run has none. */
export function credentialOf(scheme: string): string | undefined {
  const keys: Partial<Record<string, string | null>> = target().keys;
  return keys[holders[scheme] ?? ""] ?? undefined;
}

/** The credential for the operation; null: it needs none. Skips the test with a reason where this run has none. */
export function keyFor(context: TestContext, operation: Operation): string | null {
  if (!guarded(operation)) return null;
  if (answersWithFile(operation) && target().keys.quiet) return target().keys.quiet;
  const schemes = schemesOf(operation);
  const [key] = schemes.flatMap((scheme) => credentialOf(scheme) ?? []);
  return key ?? context.skip(`not run: no credential for ${schemes.join(" or ")}`);
}

/** Whether the answer is a file with a whole history. Derived rules are about the request, so a streamer with the shortest history saves time. */
function answersWithFile({ responses, scopes }: Operation): boolean {
  if (scopes === null) return false;
  const types = Object.keys(responses["200"]?.content ?? {});
  return types.length > 0 && !types.some((type) => /json|^text\//.test(type));
}
