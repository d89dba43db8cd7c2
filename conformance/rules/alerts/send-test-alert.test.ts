import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Donation, expectFaults, get, list, listAll, pageOf, readDonation, recorded } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { broken, mutationsOf } from "../../suite/client/mutations.ts";
import { freshQueue, queue, queueOf, sendTest } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import { contract } from "../../suite/contract/contract.ts";
import { lengthsOf, maxAmount, members } from "../../suite/contract/interface.ts";
import { textOf } from "../../suite/values/text.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

type Defaults = { TestAlert: { properties: Record<string, { default: unknown }> } };
const { TestAlert } = (contract.components as { schemas: Defaults }).schemas;
const defaults = Object.fromEntries(Object.entries(TestAlert.properties).map(([member, schema]) => [member, schema.default]));

test("a test alert gets the contract's defaults for omitted members, is recorded with source test, and Location names it", async () => {
  const reply = await sendTest({});
  const donation = recorded(reply);
  expect(donation).toMatchObject({ ...defaults, source: "test", skipAlert: false, identifier: null, alert: { status: "queued" } });
  expect(reply.headers.location).toBe(`/api/v1/donations/${donation.id}`);
  expect(readDonation(await get(donation.id))).toEqual(donation);
});

test("a test alert is shown like any other, in its turn", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const sent = recorded(await sendTest({ donatorName: " ทดสอบ ", amount: 0.5005, message: "\r\n a" }));
  expect(await show(page)).toMatchObject({
    donationId: sent.id,
    source: "test",
    donatorName: " ทดสอบ ",
    amount: 0.5005,
    message: "\r\n a",
    replay: false,
  });
  await expect.poll(async () => readDonation(await get(sent.id)).alert.status).toBe("shown");
});

test("a test alert counts only where tests are asked for, and no widget shows it", async (context) => {
  const page = await follow({ key: overlayKeyOf(context), plays: false });
  const before = (await page.next("snapshot")).widgets;
  const { id } = recorded(await sendTest({ amount: maxAmount }));
  expect(pageOf(await list({ limit: 1, sort: "-receivedAt" })).data.map((one: Donation) => one.id)).not.toContain(id);
  expect((await listAll({ source: "test", limit: 100 })).map((one) => one.id)).toContain(id);
  page.close();
  const after = (await (await follow({ key: overlayKeyOf(context), plays: false })).next("snapshot")).widgets;
  const lasting = ({ timer, ...widgets }: typeof before) => ({ ...widgets, timer: timer && { ...timer, remainingMs: 0 }, asOf: "" });
  expect(lasting(after)).toEqual(lasting(before));
});

const own = members
  .filter(({ member }) => ["donatorName", "amount", "message"].includes(member))
  .map((one) => ({ ...one, required: false }));

test("the members of a test alert have the bounds of a donation's, and each fault is named", () =>
  holds(fc.oneof(...own.map(mutationsOf)), async (mutation) => expectFaults(await sendTest(broken({}, mutation)), mutation.fault)));

test("a test alert is accepted at both ends of each bound", async () => {
  for (const body of [{ amount: maxAmount }, { amount: 5e-324 }, { message: "" }, { donatorName: "a" }]) recorded(await sendTest(body));
  await holds(
    fc.record({ donatorName: textOf(lengthsOf("donatorName").max), message: textOf(lengthsOf("message").max) }),
    async (body) => void recorded(await sendTest(body)),
    {
      runs: 5,
    },
  );
});

test.each(["identifier", "idempotencyKey", "skipAlert", "createdAt", "currency", "source"])(
  "%s is no member of a test alert",
  async (member) => expectFaults(await sendTest({ [member]: "THB" }), `/${member} unknown_member`),
);

test("a refused test alert leaves nothing behind", async () => {
  await sendTest({ amount: 0 });
  expect(queueOf(await queue()).waitingCount).toBe(0);
});
