import { afterEach, beforeEach, expect, test } from "vitest";
import { create, type Donation, get, listAll, readDonation, recorded, replayed, searchAll } from "../../suite/client/api.ts";
import { expectNow } from "../../suite/client/expect-within.ts";
import { change, control, freshQueue, queueOf, replay } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf } from "../../suite/client/overlay/overlay-page.ts";
import { emptyDays, report } from "../../suite/models/report-requests.ts";
import { type Body, fullDonation } from "../../suite/values/donations.ts";

// Every operation that answers a donation answers its alert as it stands now, a repeated idempotency key included.

beforeEach(() => freshQueue());
afterEach(() => closePages());

type Alert = Partial<Donation["alert"]>;
type Raised = { body: Body; id: string; day: string };

/** Records a donation that has a day and an identifier of its own. */
async function raise(members: Body = {}): Promise<Raised> {
  const [day = ""] = await emptyDays(1);
  const body = { ...fullDonation(), skipAlert: false, createdAt: `${day}T12:00+07:00`, ...members };
  return { body, id: recorded(await create(body)).id, day };
}

/** Expects every operation to answer this alert, and all of them the same. */
async function expectAlert({ body, id, day }: Raised, expected: Alert): Promise<Donation["alert"]> {
  const { alert } = readDonation(await get(id));
  expect(alert).toMatchObject(expected);
  const identifier = String(body.identifier);
  const { largest, latest } = await report("stats", { from: day, to: day });
  expect(replayed(await create(body)).alert, "the answer to the repeated idempotencyKey").toEqual(alert);
  expect((await listAll({ identifier }))[0]?.alert, "the list").toEqual(alert);
  expect((await searchAll({ q: identifier, identifier }))[0]?.alert, "the search").toEqual(alert);
  expect([largest?.alert, latest?.alert], "the stats").toEqual([alert, alert]);
  return alert;
}

const succeed = async (reply: ReturnType<typeof create>, status = 200): Promise<void> => expect((await reply).status).toBe(status);

test("lists and a replay of the idempotencyKey show an alert as it stands now: waiting, playing, shown, shown again", async (context) => {
  const raised = await raise();
  await expectAlert(raised, { status: "queued", reason: null, shownAt: null, masked: false });
  await control("pause");
  const page = await follow({ key: overlayKeyOf(context) });
  await control("resume");
  const first = await page.next("playback");
  await expectAlert(raised, { status: "leased", reason: null, shownAt: null, masked: false });
  await succeed(acknowledge("started", first.id, page));
  await expectAlert(raised, { status: "playing", reason: null, shownAt: null, masked: false });
  const ended = await acknowledge("ended", first.id, page);
  expect(ended.status).toBe(200);
  const { shownAt } = await expectAlert(raised, { status: "shown", reason: null });
  expectNow(shownAt, ended);
  await succeed(replay(raised.id), 201);
  const second = await page.next("playback");
  await expectAlert(raised, { status: "leased", shownAt });
  await succeed(acknowledge("ended", second.id, page));
  await expectAlert(raised, { status: "shown", reason: null, shownAt, masked: false });
});

test("lists and a replay of the idempotencyKey show an alert as it stands now: skipped while it plays", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const raised = await raise();
  await succeed(acknowledge("started", (await page.next("playback")).id, page));
  await expectAlert(raised, { status: "playing" });
  queueOf(await control("skip"));
  await expectAlert(raised, { status: "skipped", reason: "control", shownAt: null, masked: false });
});

test("lists and a replay of the idempotencyKey show an alert as it stands now: cleared, replayed, cleared again", async () => {
  const raised = await raise();
  for (let round = 0; round < 2; round += 1) {
    queueOf(await control("clear"));
    await expectAlert(raised, { status: "skipped", reason: "control", shownAt: null, masked: false });
    await succeed(replay(raised.id), 201);
    const { status } = await expectAlert(raised, { reason: null, shownAt: null });
    expect(status).toBeOneOf(["preparing", "queued"]);
  }
});

test("lists and a replay of the idempotencyKey show an alert as it stands now: asked for none, then replayed", async () => {
  const raised = await raise({ skipAlert: true });
  await expectAlert(raised, { status: "skipped", reason: "skip_alert", shownAt: null, masked: false });
  await succeed(replay(raised.id), 201);
  await expectAlert(raised, { reason: null, shownAt: null });
});

test.each([
  ["below_minimum", { minimumAmount: 1000 }, {}],
  ["filtered", { blockedWords: ["สแปม"] }, { message: "สแปม" }],
] as const)(
  "lists and a replay of the idempotencyKey show an alert as it stands now: %s by settings that changed while it waited",
  async (reason, settings, members) => {
    const raised = await raise(members);
    await expectAlert(raised, { status: "queued", reason: null });
    await change(settings);
    await follow();
    await expect.poll(async () => readDonation(await get(raised.id)).alert.status).toBe("skipped");
    await expectAlert(raised, { status: "skipped", reason, shownAt: null, masked: false });
  },
);
