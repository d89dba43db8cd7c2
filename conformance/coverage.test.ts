import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { expectFaults, expectProblem, problemOf } from "./harness/api.ts";
import { send } from "./harness/client.ts";
import { scopes as allScopes, apiOperations, filledPath, operations } from "./harness/contract.ts";
import { type Holder, keyOf, keyVariables } from "./harness/target.ts";

/** Operations without a rule file of their own, each with the reason. This list may only shrink. */
const withoutRuleFile: Record<string, string> = {};

const scopesOf: Partial<Record<Holder, string[]>> = {
  readOnly: ["read:donations"],
  writeOnly: ["write:donations"],
  main: allScopes,
};

const kebab = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const ruleFile = (id: string): string => `${kebab(id)}.test.ts`;
const exists = (file: string): boolean => existsSync(new URL(file, import.meta.url));
const guarded = operations.filter(({ scopes, overlayKey }) => scopes !== null || overlayKey);
const credentialed = guarded.filter(({ overlayKey }) => !overlayKey);
const ofOverlays = guarded.filter(({ overlayKey }) => overlayKey);

test.each(operations)("$id has a rule file", ({ id }) => {
  const file = ruleFile(id);
  if (id in withoutRuleFile) expect(exists(file), `conformance/${file} exists: take ${id} off the list withoutRuleFile`).toBe(false);
  else expect(exists(file), `generated/openapi.json has the operation ${id}: write its rules in conformance/${file}`).toBe(true);
});

test("the exceptions are operations of the contract", () =>
  expect(
    Object.keys(withoutRuleFile).filter((id) => !operations.some((one) => one.id === id)),
    "take these off the list withoutRuleFile",
  ).toEqual([]));

test.each(guarded)("$id without a credential is 401", async (operation) =>
  expectProblem(await send({ method: operation.method, path: filledPath(operation), key: null }), 401, "missing_credentials"),
);

test.each(guarded)("$id with a made-up credential is 401", async (operation) => {
  for (const key of ["namjai_v1_made_up", "namjai_o1_made_up"])
    expectProblem(await send({ method: operation.method, path: filledPath(operation), key }), 401, "invalid_token");
});

test.for(credentialed)("$id with an overlay key is 401: it is good for overlays alone", async (operation, context) =>
  expectProblem(
    await send({ method: operation.method, path: filledPath(operation), key: keyOf(context, "overlay") }),
    401,
    "invalid_token",
  ),
);

test.each(ofOverlays)("$id with an API key is 401, whatever its scopes: it takes overlay keys alone", async (operation) =>
  expectProblem(await send({ method: operation.method, path: filledPath(operation) }), 401, "invalid_token"),
);

describe.each(Object.entries(scopesOf) as [Holder, string[]][])("with the key of %s", (holder, scopes) => {
  const lacking = credentialed.filter((operation) => operation.scopes?.some((scope) => !scopes.includes(scope)));
  const holding = credentialed.filter((operation) => operation.scopes?.every((scope) => scopes.includes(scope)));

  for (const operation of lacking)
    test(`${operation.id} is 403 and names the scopes it needs (${keyVariables[holder]})`, async (context) => {
      const reply = await send({ method: operation.method, path: filledPath(operation), key: keyOf(context, holder) });
      expectProblem(reply, 403, "insufficient_scope");
      expect(problemOf(reply).requiredScopes).toEqual(operation.scopes);
    });

  for (const operation of holding)
    test(`${operation.id} is let through (${keyVariables[holder]})`, async (context) =>
      expect((await send({ method: operation.method, path: filledPath(operation), key: keyOf(context, holder) })).status).not.toBeOneOf([
        401, 403,
      ]));
});

test.for(apiOperations)("$id refuses an unknown parameter", async (operation, context) => {
  const { method, requestBody, overlayKey } = operation;
  const [media] = Object.values(requestBody?.content ?? {});
  const body = media && JSON.stringify({ ...(media.example as object), idempotencyKey: undefined });
  const headers: Record<string, string> = media ? { "Content-Type": "application/json" } : {};
  const path = filledPath(operation);
  const key = overlayKey ? keyOf(context, "overlay") : undefined;
  const unknown = `${path}${path.includes("?") ? "&" : "?"}unknown=1`;
  expectFaults(await send({ method, path: unknown, key, headers, body }), "unknown unknown_parameter");
});
