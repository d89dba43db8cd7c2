import { describe, expect, type TestContext, test } from "vitest";

import { challengeOf, expectProblem, get, type Me, me, problemOf } from "../suite/client/api.ts";
import { send } from "../suite/client/http-client.ts";
import { type Operation, operations } from "../suite/contract/contract.ts";
import { inputsOf } from "../suite/contract/inputs.ts";
import { filled } from "../suite/contract/resources.ts";
import { credentialOf, guarded, keyFor, schemesOf, subjectsOf } from "../suite/models/derive/hints.ts";
import { requestOf } from "../suite/models/derive/request.ts";
import { sendParts } from "../suite/models/derive/rule.ts";
import { type Holder, keyOf, keyVariables, target } from "../suite/values/target.ts";

const named = (some: Operation[]): { id: string; operation: Operation }[] => some.map((operation) => ({ id: operation.id, operation }));
const closed = named(operations.filter(guarded));
const scoped = named(operations.filter(({ scopes }) => scopes !== null && scopes.length > 0));

describe("without a credential", () => {
  test.each(closed)("$id without a credential is refused with 401", async ({ operation }) => {
    const { method } = operation;
    expectProblem(await send({ method, path: filled(operation.path), key: null }), 401, "missing_credentials");
    for (const Authorization of ["Basic dXNlcjpwYXNz", "Digest x", "", target().keys.main])
      expectProblem(
        await send({ method, path: filled(operation.path), key: null, headers: { Authorization } }),
        401,
        "missing_credentials",
      );
  });

  test.each(closed)(
    "$id: a 401 to a missing or invalid credential has a Bearer challenge with at least one parameter (RFC 6750 3)",
    async ({ operation }) => {
      for (const key of [null, "namjai_v1_made_up", "a.b.c"]) {
        const reply = await send({ method: operation.method, path: filled(operation.path), key });
        expect([reply.status, Object.keys(challengeOf(reply) ?? {}).length > 0]).toEqual([401, true]);
      }
    },
  );

  test.each(closed)("$id tells a request without a credential nothing of its schema", async ({ operation }) => {
    const headers = { "Content-Type": "text/plain" };
    const reply = await send({
      method: operation.method,
      path: `${filled(operation.path)}?unknown=1`,
      key: null,
      headers,
      ...withBody(operation),
    });
    expectProblem(reply, 401, "missing_credentials");
  });
});

test.each(closed)("$id with a made-up credential is refused with 401", async ({ operation }) => {
  for (const key of ["namjai_v1_made_up", "namjai_o1_made_up", "x", "a.b.c"])
    expectProblem(await send({ method: operation.method, path: filled(operation.path), key }), 401, "invalid_token");
});

const schemes = [...new Set(operations.filter(guarded).flatMap(schemesOf))];

if (schemes.length > 1)
  describe("with a credential of another kind", () => {
    test.for(closed)("$id with a credential of another kind is refused with 401", async ({ operation }, context) => {
      const others = schemes.filter((scheme) => !schemesOf(operation).includes(scheme));
      const keys = others.flatMap((scheme) => credentialOf(scheme) ?? []);
      if (keys.length === 0) context.skip(`not run: no credential for ${others.join(" or ")}`);
      for (const key of keys)
        expectProblem(await send({ method: operation.method, path: filled(operation.path), key }), 401, "invalid_token");
    });
  });

describe("scopes", () => {
  const holders: Holder[] = ["main", "readOnly", "writeOnly"];
  const granted = new Map<string, Promise<string[]>>();
  const scopesOf = (key: string): Promise<string[]> => {
    const known = granted.get(key) ?? me({ key }).then(({ body }) => (body as { data: Me }).data.scopes);
    granted.set(key, known);
    return known;
  };

  /** Keys of the run with and without what the operation needs. */
  async function keysFor({ scopes }: Operation, enough: boolean): Promise<string[]> {
    const keys = holders.flatMap((holder) => target().keys[holder] ?? []);
    const found = await Promise.all(keys.map(async (key) => ({ key, held: await scopesOf(key) })));
    return found.filter(({ held }) => (scopes ?? []).every((scope) => held.includes(scope)) === enough).map(({ key }) => key);
  }

  const none = (context: TestContext): never =>
    context.skip(`not run: no key with such scopes among ${holders.map((holder) => keyVariables[holder]).join(", ")}`);

  test.for(scoped)("$id refuses a credential without its scopes with 403 and names them", async ({ operation }, context) => {
    const keys = await keysFor(operation, false);
    if (keys.length === 0) none(context);
    for (const key of keys) {
      const reply = await send({ method: operation.method, path: filled(operation.path), key });
      expectProblem(reply, 403, "insufficient_scope");
      expect(problemOf(reply).requiredScopes).toEqual(operation.scopes);
    }
  });

  test.for(named(operations.filter(({ scopes }) => scopes !== null)))(
    "$id lets a credential with its scopes through",
    async ({ operation }, context) => {
      const keys = await keysFor(operation, true);
      if (keys.length === 0) none(context);
      // A refusal of the parameter proves that the credential was let through, without any effect.
      for (const key of keys)
        expect((await send({ method: operation.method, path: `${filled(operation.path)}?unknown=1`, key })).status).not.toBeOneOf([
          401, 403,
        ]);
    },
  );
});

describe("objects of another streamer", () => {
  const owned = named(operations.filter(({ path, scopes }) => path.includes("{") && scopes !== null));

  test.for(owned)("$id answers 404 for another streamer's object, as if it did not exist", async ({ operation }, context) => {
    const key = keyFor(context, operation);
    const inputs = inputsOf(operation);
    const subjects = await subjectsOf(operation.path);
    if (Object.keys(subjects).length === 0) context.skip(`not applicable: nothing is known to name in ${operation.path}`);
    const parts = requestOf(inputs, { seed: target().seed, hints: { members: {}, subjects } });
    const foreign = await sendParts(inputs, parts, keyOf(context, "other"));
    const unknown = await sendParts(inputs, requestOf(inputs, { seed: target().seed, hints: { members: {}, subjects: {} } }), key);
    expectProblem(foreign, 404, problemOf(unknown).code);
    expect(unknown.status).toBe(404);
    expect((await get(String(Object.values(subjects)[0]))).status).toBe(200);
  });
});

const withBody = ({ requestBody }: Operation): { body?: string } => (requestBody ? { body: '{"unknown":' } : {});
