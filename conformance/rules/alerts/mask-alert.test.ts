import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { expectProblem, get, listAll, readDonation } from "../../suite/client/api.ts";
import { change, control, decide, donate, freshQueue, queue, queueOf, replay } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const heldCount = async (): Promise<number> => queueOf(await queue()).heldCount;

test("a masked alert plays once with its amount alone, and so does its replay; the queue shows the texts", async (context) => {
  await change({ approval: "all" });
  const page = await follow({ key: overlayKeyOf(context) });
  const one = await donate({ donatorName: "Malee", message: "Hi", amount: 55.5 });
  await expect.poll(heldCount).toBe(1);
  await control("pause");
  expect(queueOf(await decide(one.id, "mask")).waiting[0]).toMatchObject({ donatorName: "Malee", message: "Hi", masked: true });
  await control("resume");
  const hidden = { donationId: one.id, donatorName: "***", message: "", amount: 55.5, masked: true };
  expect(await show(page)).toMatchObject(hidden);
  expect((await replay(one.id)).status).toBe(201);
  expect(await show(page)).toMatchObject(hidden);
});

test("a donation whose alert was masked says so from then on, after a replay and in lists, too; one that was approved does not", async (context) => {
  await change({ approval: "all" });
  const page = await follow({ key: overlayKeyOf(context) });
  const [masked, approved] = [await donate({ identifier: randomUUID() }), await donate()];
  await expect.poll(heldCount).toBe(2);
  const isMasked = async ({ id }: { id: string }) => readDonation(await get(id)).alert.masked;
  expect([await isMasked(masked), await isMasked(approved)]).toEqual([false, false]);
  await decide(masked.id, "mask");
  await decide(approved.id, "approve");
  await show(page);
  await show(page);
  expect([await isMasked(masked), await isMasked(approved)]).toEqual([true, false]);
  expect((await replay(masked.id)).status).toBe(201);
  await show(page);
  const listed = await listAll({ identifier: masked.identifier as string });
  expect(listed.map(({ alert }) => [alert.status, alert.masked])).toEqual([["shown", true]]);
});

test("masking an alert that is not held is refused with alert_state_conflict", async () => {
  await control("pause");
  const one = await donate();
  expectProblem(await decide(one.id, "mask"), 409, "alert_state_conflict");
});

test.for([
  ["mask_word", { donatorName: "Mr *** Jr", message: "buy *** now" }],
  ["mask_text", { donatorName: "***", message: "" }],
] as const)("blockedWordAction %s hides blocked words on stream, and the queue shows them", async ([blockedWordAction, shown], context) => {
  await change({ blockedWords: ["spam", "สแปม"], blockedWordAction });
  const page = await follow({ key: overlayKeyOf(context) });
  await control("pause");
  const one = await donate({ donatorName: "Mr สแปม Jr", message: "buy S P A M now" });
  const clean = await donate({ donatorName: "Malee", message: "ดี" });
  await control("resume");
  expect(await show(page)).toMatchObject({ donationId: one.id, ...shown, masked: false });
  expect(await show(page)).toMatchObject({ donationId: clean.id, donatorName: "Malee", message: "ดี" });
});
