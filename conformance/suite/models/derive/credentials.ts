// Chooses credentials by the contract's security requirements.

import type { TestContext } from "vitest";

import type { Operation } from "../../contract/contract.ts";
import { target } from "../../values/target.ts";

/** Security schemes of the contract that are a Bearer credential, and who of the run holds one. */
const holders: Record<string, string> = { Credential: "main", OverlayKey: "overlay" };

/** Schemes that the OAuth rule files test: a client's name and secret. */
const ofClients = ["BasicAuth"];

/** Whether the operation needs a Bearer credential. */
export const guarded = ({ security }: Operation): boolean => security.length > 0 && security.every((one) => schemeOf(one) !== null);

export const schemesOf = ({ security }: Operation): string[] => security.flatMap((one) => schemeOf(one) ?? []);

const schemeOf = (requirement: Record<string, string[]>): string | null =>
  Object.keys(requirement).find((name) => !ofClients.includes(name)) ?? null;

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
