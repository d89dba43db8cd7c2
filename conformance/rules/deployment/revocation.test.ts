import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

import { expectProblem, me } from "../../suite/client/api.ts";
import { addKey, cli } from "../../suite/client/operator.ts";
import { watchUses } from "../../suite/client/watch-uses.ts";
import { type Operator, operatorOf } from "../../suite/values/target.ts";

test("a revoked key is token_revoked within a second", async (context) => {
  const operator = operatorOf(context);
  const key = await addKey(operator, operator.handle, "read:donations");
  type Entry = { id: string; publicId: string; revokedAt: string | null };
  const entry = async (): Promise<Entry> => {
    const entries = JSON.parse(await cli(operator, "keys", "list", "--streamer", operator.handle)) as Entry[];
    return entries.find(({ publicId }) => key.includes(publicId)) as Entry;
  };
  const { id } = await entry();
  expect((await me({ key })).status).toBe(200);
  const watch = watchUses(() => me({ key }));
  await cli(operator, "keys", "revoke", id);
  await watch.expectRevoked(async () => Date.parse((await entry()).revokedAt ?? ""));
});

test("an expired key is token_expired", async (context) => {
  const key = await keyUntil(operatorOf(context), "2020-01-01T00:00:00Z");
  expectProblem(await me({ key }), 401, "token_expired");
});

test("a key expires while it is in use", async (context) => {
  const end = Date.now() + 2500;
  const key = await keyUntil(operatorOf(context), new Date(end).toISOString());
  if (Date.now() < end - 200) expect((await me({ key })).status).toBe(200);
  await sleep(Math.max(0, end - Date.now()) + 50);
  expectProblem(await me({ key }), 401, "token_expired");
});

const keyUntil = (operator: Operator, end: string): Promise<string> =>
  cli(operator, ...["keys", "create", "--streamer", operator.handle, "--scopes", "read:donations", "--expires", end]);
