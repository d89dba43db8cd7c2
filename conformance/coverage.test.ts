import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { expectFaults, expectProblem, problemOf } from "./harness/api.ts";
import { send } from "./harness/client.ts";
import { apiOperations, type Operation, operations } from "./harness/contract.ts";
import { type Holder, keyOf, keyVariables } from "./harness/target.ts";

/** Operations without a rule file of their own, each with the reason. This list may only shrink. */
const withoutRuleFile: Record<string, string> = {};

const scopesOf: Partial<Record<Holder, string[]>> = {
  readOnly: ["read:donations"],
  writeOnly: ["write:donations"],
  main: ["read:donations", "write:donations"],
};

const kebab = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const ruleFile = (id: string): string => `${kebab(id)}.test.ts`;
const exists = (file: string): boolean => existsSync(new URL(file, import.meta.url));
const filled = ({ path }: Pick<Operation, "path">): string => path.replace(/\{[^}]*\}/g, "01932f6e-8a00-7000-8000-3f1e5a7c9b21");
const guarded = operations.filter(({ scopes }) => scopes !== null);

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
  expectProblem(await send({ method: operation.method, path: filled(operation), key: null }), 401, "missing_credentials"),
);

test.each(guarded)("$id with a made-up credential is 401", async (operation) =>
  expectProblem(await send({ method: operation.method, path: filled(operation), key: "namjai_v1_made_up" }), 401, "invalid_token"),
);

describe.each(Object.entries(scopesOf) as [Holder, string[]][])("with the key of %s", (holder, scopes) => {
  const lacking = guarded.filter((operation) => operation.scopes?.some((scope) => !scopes.includes(scope)));
  const holding = guarded.filter((operation) => operation.scopes?.every((scope) => scopes.includes(scope)));

  for (const { id, method, path, scopes: required } of lacking)
    test(`${id} is 403 and names the scopes it needs (${keyVariables[holder]})`, async (context) => {
      const reply = await send({ method, path: filled({ path }), key: keyOf(context, holder) });
      expectProblem(reply, 403, "insufficient_scope");
      expect(problemOf(reply).requiredScopes).toEqual(required);
    });

  for (const operation of holding)
    test(`${operation.id} is let through (${keyVariables[holder]})`, async (context) =>
      expect((await send({ method: operation.method, path: filled(operation), key: keyOf(context, holder) })).status).not.toBeOneOf([
        401, 403,
      ]));
});

test.each(apiOperations)("$id refuses an unknown parameter", async (operation) => {
  const { method, requestBody } = operation;
  const [media] = Object.values(requestBody?.content ?? {});
  const body = media && JSON.stringify({ ...(media.example as object), idempotencyKey: undefined });
  const headers: Record<string, string> = media ? { "Content-Type": "application/json" } : {};
  expectFaults(await send({ method, path: `${filled(operation)}?unknown=1`, headers, body }), "unknown unknown_parameter");
});
