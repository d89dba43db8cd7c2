import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { create, type Donation, expectNow, post, recorded, takeBack } from "../../suite/client/api.ts";
import {
  closeSockets,
  closeStreams,
  type Event,
  type EventStream,
  followEvents,
  listAllEvents,
  openSocket,
} from "../../suite/client/events/event-stream.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import { alertDataOf, change, control, donate, freshQueue, replay, sendTest } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import { ageAlert } from "../../suite/servers/database.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { keyOf, operatorOf, target } from "../../suite/values/target.ts";

// Every type of event, as the API brings it about.

beforeEach(() => freshQueue());
afterEach(() => {
  closePages();
  closeStreams();
  closeSockets();
});

const isOf =
  (id: string, type: string) =>
  ({ type: its, data }: Event): boolean =>
    its === type && "donationId" in data && data.donationId === id;

async function following(): Promise<EventStream> {
  const stream = await followEvents();
  await stream.positioned();
  return stream;
}

const alertOf = async (stream: EventStream, { id }: Pick<Donation, "id">, type: string) => (await stream.next(isOf(id, type))).event.data;

describe("alerts", () => {
  test("an alert that an overlay page plays is alert.started and then alert.shown, each with an id of its own, the donation and isReplay false", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    const stream = await following();
    const one = await donate({ donatorName: " Somsri ", amount: 12.5005, message: "สวัสดี\r\n" });
    await show(page);
    expect(await alertOf(stream, one, "alert.started")).toEqual({ ...alertDataOf(one), status: "playing" });
    expect(await alertOf(stream, one, "alert.shown")).toEqual({ ...alertDataOf(one), status: "shown" });
    const types = stream.received.map(({ event }) => event).filter(({ data }) => "donationId" in data && data.donationId === one.id);
    expect(types.map(({ type }) => type)).toEqual(["alert.started", "alert.shown"]);
    expect(new Set(types.map(({ id }) => id)).size, "ids of events").toBe(2);
    for (const { timestamp } of types) expectNow(timestamp, { headers: { date: one.receivedAt } });
  });

  test("a replay of an alert is alert.started and alert.shown again, with isReplay true", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    const one = await donate({ skipAlert: true });
    const stream = await following();
    await replay(one.id);
    await show(page);
    const replayed = { ...alertDataOf(one), isReplay: true };
    expect(await alertOf(stream, one, "alert.started")).toEqual({ ...replayed, status: "playing" });
    expect(await alertOf(stream, one, "alert.shown")).toEqual({ ...replayed, status: "shown" });
  });

  test("a test alert is a test in its events: isTest", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    const stream = await following();
    expect((await sendTest({})).status).toBe(201);
    const { donationId } = await show(page);
    for (const type of ["alert.started", "alert.shown"])
      expect(await alertOf(stream, { id: donationId }, type)).toMatchObject({ isTest: true, source: "test" });
  });

  test("an alert that plays and is skipped is alert.skipped for the reason control", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    const stream = await following();
    const one = await donate();
    const { id } = await page.next("playback");
    await acknowledge("started", id, page);
    await control("skip");
    expect(await alertOf(stream, one, "alert.skipped")).toEqual({ ...alertDataOf(one), status: "skipped", reason: "control" });
  });

  test("an alert whose page disconnects before its end is alert.unconfirmed", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    const one = await donate();
    const { id } = await page.next("playback");
    await acknowledge("started", id, page);
    const stream = await following();
    page.close();
    const told = () => stream.received.find(({ event }) => isOf(one.id, "alert.unconfirmed")(event))?.event.data;
    await expect.poll(told, { timeout: 60_000 }).toEqual({ ...alertDataOf(one), status: "unconfirmed" });
  });
});

describe("alerts that nobody plays", () => {
  const streamer = newStreamer();

  test("an alert that waits for a player for more than a day is alert.expired", async (context) => {
    const key = streamer(context);
    const one = await donate({}, { key });
    await ageAlert(operatorOf(context), one.id, 90_000);
    const told = async () => (await listAllEvents({ types: "alert.expired" }, { key })).find(isOf(one.id, "alert.expired"))?.data;
    await expect.poll(told, { timeout: 60_000, interval: 250 }).toEqual({ ...alertDataOf(one), status: "expired" });
  });
});

describe("the goal", () => {
  const donateTo = async (key: string) => recorded(await create(donation({ amount: 10, skipAlert: true }), { key }));
  const titleOf = ({ type, data }: Event): string | null => (type === "goal.reached" && "title" in data ? data.title : null);

  /** Sets a goal and reaches it. Resolves to the data of its event. */
  async function reach(key: string, stream: EventStream, title: string) {
    const goal = { title, target: 10, from: "2001-01-01" };
    await change({ goal }, { key });
    const { receivedAt } = await donateTo(key);
    const { data, timestamp } = (await stream.next((event) => titleOf(event) === title)).event;
    expectNow(timestamp, { headers: { date: receivedAt } });
    expect(data).toEqual({ ...goal, id: "main", current: expect.any(Number) });
    expect((data as { current: number }).current).toBeGreaterThanOrEqual(10);
  }

  test("a goal that is set and reached is goal.reached once, with the sum, whatever is donated later; changed, it is reached again", async (context) => {
    const [key, others] = [keyOf(context, "main"), keyOf(context, "other")];
    const [stream, barrier] = [await following(), await followEvents({ key: others })];
    for (const one of [key, others]) await change({ goals: [] }, { key: one }); // `goal` replaces the first of several, which keeps its id
    for (const one of [key, others]) await change({ goals: [] }, { key: one }); // `goal` replaces the first of several, which keeps its id
    const titles = ["one", "two"].map((name) => `${name} ${freshKey()}`.slice(0, 60));
    for (const title of titles) {
      await reach(key, stream, title);
      await donateTo(key);
      // All goals are looked at together: when another streamer's second goal is reached, this one has been looked at again.
      for (const round of [1, 2]) await reach(others, barrier, `${round} ${freshKey()}`.slice(0, 60));
    }
    await change({ goal: null }, { key: others });
    expect(stream.received.map(({ event }) => titleOf(event)).filter(Boolean)).toEqual(titles);
  });
});

describe("the days of a goal", () => {
  const streamer = newStreamer();

  test("a goal is reached once the donations of its days alone add up to its target exactly", async (context) => {
    const key = streamer(context);
    await change({ goal: { title: "one day", target: 10.0005, from: "2005-06-15", to: "2005-06-15" } }, { key });
    for (const [createdAt, amount] of [
      ["2005-06-14T23:59:59.999+07:00", 999],
      ["2005-06-16T00:00+07:00", 999],
      ["2005-06-15T00:00+07:00", 9.75],
      ["2005-06-15T23:59:59.999+07:00", 0.2505],
    ] as const)
      await post({ createdAt, amount }, { key });
    const reached = async () =>
      (await listAllEvents({ types: "goal.reached" }, { key })).map(({ data }) => (data as { current: number }).current);
    await expect.poll(reached, { timeout: 60_000, interval: 100 }).toEqual([10.0005]);
  });
});

describe("several goals", () => {
  const streamer = newStreamer();

  test("each of several goals is reached once, and its event names it: one that was changed is reached anew, one that was deleted never", async (context) => {
    const key = streamer(context);
    const goal = (id: string, target: number) => ({ id, title: `goal ${id}`, target, from: "2005-06-15" });
    const reached = async () =>
      (await listAllEvents({ types: "goal.reached" }, { key })).map(({ data }) => {
        const { id, title, target } = data as { id: string; title: string; target: number };
        return `${id} ${title} ${target}`;
      });
    const donateAndAwait = async (names: string[]) => {
      await post({ createdAt: "2005-06-15T12:00Z", amount: 10 }, { key });
      await expect.poll(reached, { timeout: 60_000, interval: 100 }).toEqual(names);
    };
    await change({ goals: [goal("mic", 10), goal("trip", 20), goal("gone", 20)] }, { key });
    await donateAndAwait(["mic goal mic 10"]);
    await change({ goals: [goal("trip", 20), goal("mic", 10)] }, { key });
    await donateAndAwait(["mic goal mic 10", "trip goal trip 20"]);
    await change({ goals: [goal("mic", 30), goal("trip", 20)] }, { key });
    await donateAndAwait(["mic goal mic 10", "trip goal trip 20", "mic goal mic 30"]);
  });
});

describe("whose events", () => {
  test("an idempotency key is read by its own application alone, null by another", async (context) => {
    const second = keyOf(context, "secondApplication");
    const idempotencyKey = crypto.randomUUID();
    const one = recorded(await create(donation({ idempotencyKey })));
    const keyFor = async (options: { key?: string }, types = "donation.created") => {
      const events = await listAllEvents({ types }, options);
      return events.map(({ data }) => data as Donation).find(({ id }) => id === one.id)?.idempotencyKey;
    };
    expect([await keyFor({}), await keyFor({ key: second })]).toEqual([idempotencyKey, null]);
    await takeBack(one);
    expect([await keyFor({}, "donation.voided"), await keyFor({ key: second }, "donation.voided")]).toEqual([idempotencyKey, null]);
  });

  test("a stream and a WebSocket show idempotency keys of the own application alone", async (context) => {
    const second = keyOf(context, "secondApplication");
    const [stream, socket] = [await following(), await openSocket()];
    socket.send({ token: target().keys.main, types: ["donation.created"] });
    await socket.next(({ cursor }) => cursor !== undefined);
    const [idempotencyKey, theirKey] = [freshKey(), freshKey()];
    const own = await post({ idempotencyKey });
    const theirs = await post({ idempotencyKey: theirKey }, { key: second });
    const keysIn = async (next: (id: string) => Promise<Event | undefined>) =>
      [await next(own.id), await next(theirs.id)].map((event) => (event?.data as Donation | undefined)?.idempotencyKey);
    const isOne = (id: string, event?: Event): boolean => event?.type === "donation.created" && "id" in event.data && event.data.id === id;
    expect(await keysIn(async (id) => (await stream.next((event) => isOne(id, event))).event)).toEqual([idempotencyKey, null]);
    expect(await keysIn(async (id) => (await socket.next(({ event }) => isOne(id, event))).event)).toEqual([idempotencyKey, null]);
  });

  test("another streamer's events are in no list and no stream", async (context) => {
    const key = keyOf(context, "other");
    const stream = await following();
    const theirs = recorded(await create(donation({ skipAlert: true }), { key }));
    const own = recorded(await create(donation({ skipAlert: true })));
    await stream.next(({ data }) => "id" in data && data.id === own.id);
    const all = [...stream.received.map(({ event }) => event), ...(await listAllEvents())];
    expect(all.filter(({ data }) => "id" in data && data.id === theirs.id)).toEqual([]);
  });
});
