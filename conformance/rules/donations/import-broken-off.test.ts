import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { listAll, me } from "../../suite/client/api.ts";
import { expectWithin } from "../../suite/client/expect-within.ts";
import { beginImport, importLines, openImport, outcomesOf, verdictsOf } from "../../suite/client/imports.ts";
import { clientOf, expectRevoked, needsClients, newGrant, revoke } from "../../suite/client/oauth/oauth-client.ts";
import { donation, freshIdentifier, freshKey } from "../../suite/values/donations.ts";

const linesOf = (count: number, identifier: string): string[] =>
  Array.from({ length: count }, () => `${JSON.stringify(donation({ idempotencyKey: freshKey(), skipAlert: true, identifier }))}\n`);

test("a line of an import is answered before the next one is sent", async () => {
  const [first, second] = linesOf(2, freshIdentifier()) as [string, string];
  const sender = await beginImport({ importId: crypto.randomUUID() }, [first]);
  expect(sender.outcomes().map(({ status }) => status)).toEqual([201]);
  sender.send(second);
  await expect
    .poll(() => sender.outcomes().map(({ index, status }) => [index, status]))
    .toEqual([
      [0, 201],
      [1, 201],
    ]);
  sender.disconnect();
});

test("what an import recorded stays when its client disconnects in the middle of a line, and sending it again records the rest once", async () => {
  const identifier = freshIdentifier();
  const lines = linesOf(40, identifier);
  const sender = await beginImport({ importId: crypto.randomUUID() }, lines.slice(0, 20));
  sender.send(String(lines[20]?.slice(0, 10)));
  const first = sender.outcomes().map(({ donationId }) => donationId);
  sender.disconnect();
  expect(await sender.ended).toBe(false);
  const again = await importLines(lines.join(""));
  expect(verdictsOf(again)).toEqual(lines.map((_, index) => (index < 20 ? 200 : 201)));
  expect(
    outcomesOf(again)
      .slice(0, 20)
      .map(({ donationId }) => donationId),
  ).toEqual(first);
  expect(await listAll({ identifier })).toHaveLength(40);
});

test("imports of lines that were broken off take no place from later ones", async () => {
  for (let round = 0; round < 20; round += 1) {
    const sender = await beginImport({ importId: crypto.randomUUID() }, linesOf(1, freshIdentifier()));
    sender.disconnect();
    await sender.ended;
  }
  expect(verdictsOf(await importLines(linesOf(1, freshIdentifier()).join("")))).toEqual([201]);
});

test("an import that is answered 400 because its body became malformed has recorded nothing, whenever that was", async () => {
  const statuses = new Set<number | null>();
  for (let round = 0; round < 24; round += 1) {
    const identifier = freshIdentifier();
    const sender = openImport({ importId: crypto.randomUUID() });
    sender.send(linesOf(1, identifier).join(""));
    await sleep(round);
    sender.breakFraming();
    await sender.ended;
    statuses.add(sender.status());
    if (sender.status() === 400) expect(await listAll({ identifier })).toEqual([]);
  }
  for (const status of statuses) expect([200, 400, 429, null]).toContain(status); // 429: earlier lines are still being recorded
});

test("an import whose credential is revoked ends after the lines before, and no later line is recorded", async (context) => {
  needsClients(context);
  const client = clientOf("confidential");
  const { access_token: key } = await newGrant(client);
  const identifier = freshIdentifier();
  const [first, second] = linesOf(2, identifier) as [string, string];
  const sender = await beginImport({ importId: crypto.randomUUID(), key }, [first]);
  expectRevoked(await revoke(client, key));
  await expectWithin(1000, async () => (await me({ key })).status, 401);
  sender.send(second);
  await sender.ended;
  expect(sender.outcomes()).toHaveLength(1);
  expect(await listAll({ identifier })).toHaveLength(1);
});
