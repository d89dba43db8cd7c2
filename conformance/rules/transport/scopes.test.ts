import { beforeAll, expect, type TestContext, test } from "vitest";
import { expectProblem, problemOf } from "../../suite/client/api.ts";
import { expectNone } from "../../suite/client/expect-within.ts";
import { send } from "../../suite/client/http-client.ts";
import { cliAll, keyCall } from "../../suite/client/operator.ts";
import { operations, scopes as published } from "../../suite/contract/contract.ts";
import { offline } from "../../suite/contract/offline-rules.ts";
import { type Need, needs, type Scope, scopeFaults, scopes } from "../../suite/contract/scopes.ts";
import { target } from "../../suite/values/target.ts";

// Compares the contract with a second, hand-written table: only that can notice a valid scope at the wrong operation.

const filled = (path: string): string => path.replace(/\{[^}]*\}/g, "01932f6e-8a00-7000-8000-3f1e5a7c9b21");
const isScope = (need: Need | undefined): need is Scope => scopes.some((scope) => scope === need);
const needing = operations.flatMap((operation) => {
  const need = needs[operation.id];
  return isScope(need) ? [{ id: operation.id, operation, need }] : [];
});

let keys: Partial<Record<Scope, string | null>> = {};

beforeAll(async () => {
  const { operator, keys: given } = target();
  const known = { "read:donations": given.readOnly, "write:donations": given.writeOnly };
  const others = scopes.filter((scope) => !(scope in known));
  const calls = operator ? others.map((scope) => keyCall(operator.handle, scope)) : [];
  const made = operator ? await cliAll(operator, calls) : [];
  keys = { ...known, ...Object.fromEntries(others.map((scope, index) => [scope, made[index] ?? null])) };
});

/** A key with this scope alone. */
const keyWith = (context: TestContext, scope: Scope): string =>
  keys[scope] ?? context.skip(`not run: this run has no key with the scope ${scope} alone`);

test("every operation needs exactly the scope that the suite's own table demands", offline, () => expectNone(scopeFaults(operations)));

test("the scopes of the contract are those of the suite's own table", offline, () =>
  expect([...published].sort()).toEqual([...scopes].sort()),
);

// A refusal of the unknown parameter proves that the credential was let through, without any effect.
test.for(needing)("$id lets a key through whose only scope is $need", async ({ operation: { method, path }, need }, context) => {
  const reply = await send({ method, path: `${filled(path)}?unknown=1`, key: keyWith(context, need) });
  expect(reply.status, reply.text).not.toBeOneOf([401, 403]);
});

test.for(needing)(
  "$id refuses keys without $need, whatever other scope they have",
  async ({ operation: { method, path, security }, need }, context) => {
    const sufficient = [need, ...security.flatMap(({ Credential = [] }) => Credential)];
    for (const scope of scopes.filter((one) => !sufficient.includes(one))) {
      const reply = await send({ method, path: `${filled(path)}?unknown=1`, key: keyWith(context, scope) });
      expectProblem(reply, 403, "insufficient_scope");
      expect(problemOf(reply).requiredScopes).toEqual([need]);
    }
  },
);
