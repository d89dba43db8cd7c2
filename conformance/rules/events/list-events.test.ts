import { afterEach, describe, expect, test } from "vitest";
import { create, expectFaults, expectProblem, get, readDonation, recorded, takeBack } from "../../suite/client/api.ts";
import {
  closeSockets,
  closeStreams,
  type Event,
  endOfLog,
  eventPageOf,
  followEvents,
  listAllEvents,
  listEvents,
  openSocket,
} from "../../suite/client/events/event-stream.ts";
import {
  call,
  cleanUp,
  created,
  dataOf,
  find,
  openReceiver,
  ownStreamer,
  settled,
  type Webhook,
} from "../../suite/client/events/webhooks.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { importAll, outcomesOf } from "../../suite/client/imports.ts";
import { addDonation, undoImport } from "../../suite/client/operator.ts";
import { alertDataOf, donate, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import { operation } from "../../suite/contract/contract.ts";
import { type Body, donation, freshKey } from "../../suite/values/donations.ts";
import { keyOf, operatorOf, target } from "../../suite/values/target.ts";

const ofCreated = { types: "donation.created" };
const donationIdOf = ({ data }: Event): string => ("id" in data ? data.id : "");

afterEach(closeStreams);
afterEach(closeSockets);

describe("a recorded donation", () => {
  test("a recorded donation is an event: the donation as it was recorded, with isTest and isReplay", async () => {
    const after = await endOfLog();
    const texts = { donatorName: " สมชาย ", message: `${"ก".repeat(249)}\r\n e\u0301 `, identifier: " x " };
    const one = recorded(await create(donation({ ...texts, amount: 0.30000000000000004, createdAt: "2026-10-05T19:30:00.25+07:00" })));
    const events = await listAllEvents({ ...ofCreated, after });
    const found = events.find(({ data }) => "id" in data && data.id === one.id);
    expect(found).toEqual({
      id: expect.any(String),
      type: "donation.created",
      timestamp: one.receivedAt,
      data: { ...one, isTest: false, isReplay: false, isImported: false },
    });
    expect(readDonation(await get(one.id)).id).toBe(one.id);
  });

  test("the event of a recorded donation stays as the donation was recorded, also when it is void", async () => {
    const after = await endOfLog();
    const one = recorded(await create(donation({ skipAlert: false })));
    const told = async () => (await listAllEvents({ ...ofCreated, after })).find(({ data }) => "id" in data && data.id === one.id)?.data;
    const before = await told();
    await freshQueue(); // ends the alert
    await takeBack(one);
    expect([before, await told()]).toEqual([1, 2].map(() => ({ ...one, isTest: false, isReplay: false, isImported: false })));
  });

  test("the event of a void has the time at which the donation was voided, and the donation as it stood then", async () => {
    const one = recorded(await create(donation({ skipAlert: true })));
    const after = await endOfLog();
    const voided = await takeBack(one);
    const told = (await listAllEvents({ types: "donation.voided", after })).filter(({ data }) => "id" in data && data.id === one.id);
    expect(told).toEqual([
      {
        id: expect.any(String),
        type: "donation.voided",
        timestamp: voided.voided?.at,
        data: { ...voided, isTest: false, isReplay: false, isImported: false },
      },
    ]);
  });

  test("a recorded donation is one event, however often its request is repeated", async () => {
    const after = await endOfLog();
    const body = donation({ idempotencyKey: crypto.randomUUID() });
    const one = recorded(await create(body));
    await create(body);
    const events = await listAllEvents({ ...ofCreated, after });
    expect(events.filter(({ data }) => "id" in data && data.id === one.id)).toHaveLength(1);
  });

  test("a recorded donation is a test where its source is test", async (context) => {
    const after = await endOfLog();
    await addDonation(operatorOf(context), "test", "other", 7);
    const events = await listAllEvents({ ...ofCreated, after });
    expect(events.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ isTest: true, source: "test", channel: "other", amount: 7 }),
    );
  });
});

describe("pages", () => {
  test("page by page, every event comes once and in the order of recording, and none of another type", async () => {
    const after = await endOfLog();
    const sent: string[] = [];
    for (let count = 0; count < 7; count += 1) sent.push(recorded(await create(donation())).id);
    await freshQueue(); // skips their alerts
    const types = ["donation.created", "donation.voided", "goal.reached"];
    const told = await listAllEvents({ types, after, limit: 2 });
    expect(told.filter(({ type }) => !types.includes(type))).toEqual([]);
    const events = await listAllEvents({ ...ofCreated, after, limit: 2 });
    expect(events.map(donationIdOf).filter((id) => sent.includes(id))).toEqual(sent);
  });

  test("who goes on from each cursor while donations are recorded gets every event once, in the order of the list", async () => {
    const start = await endOfLog();
    const [sent, seen]: [string[], string[]] = [[], []];
    let recording = true;
    const record = async (): Promise<void> => void sent.push(recorded(await create(donation({ skipAlert: true }))).id);
    const recordMany = holdsForEach(Array.from({ length: 200 }), record, 8).finally(() => (recording = false));
    recordMany.catch(() => {}); // it may fail before it is awaited
    for (let after = start, more = true; more; ) {
      const isRecording = recording; // what is recorded later is on the next page
      const { data, pagination } = eventPageOf(await listEvents({ ...ofCreated, after }));
      seen.push(...data.map(donationIdOf));
      after = pagination.nextCursor;
      more = isRecording || pagination.hasMore;
    }
    await recordMany;
    const all = (await listAllEvents({ ...ofCreated, after: start, limit: 1000 })).map(donationIdOf);
    expect(seen).toEqual(all);
    expect(all.filter((id) => sent.includes(id)).length).toBe(200);
  });

  test("the last page has a cursor, too, and it leads to what happens later", async () => {
    const after = await endOfLog();
    const one = recorded(await create(donation()));
    const { data } = eventPageOf(await listEvents({ ...ofCreated, after, limit: 1000 }));
    expect(data.some((event) => "id" in event.data && event.data.id === one.id)).toBe(true);
  });

  test("limit is the contract's default unless it is sent, and is answered", async () => {
    const { schema } = operation("listEvents").parameters.find(({ name }) => name === "limit") ?? {};
    expect(eventPageOf(await listEvents()).pagination.limit).toBe(schema?.default);
    expect(eventPageOf(await listEvents({ limit: 7 })).pagination.limit).toBe(7);
  });

  test.each(["x", "bm90aGluZw", "LATEST"])("the position %j is no cursor: invalid_cursor", async (after) =>
    expectProblem(await listEvents({ after }), 400, "invalid_cursor"),
  );

  test("a cursor of another streamer is refused: invalid_cursor", async (context) => {
    const after = await endOfLog({ key: keyOf(context, "other") });
    expectProblem(await listEvents({ after }), 400, "invalid_cursor");
  });

  test.each([
    [{ limit: 0 }, "limit out_of_range"],
    [{ limit: 1001 }, "limit out_of_range"],
    [{ types: "donation.voted" }, "types invalid_enum"],
    [{ types: ["donation.created", "donation.created"] }, "types not_unique"],
  ])("a list with %j is refused", async (query, fault) => expectFaults(await listEvents(query), fault));
});

describe("scopes", () => {
  test("a key that may not read donations gets none of their events", async (context) => {
    recorded(await create(donation()));
    const events = await listAllEvents({}, { key: keyOf(context, "writeOnly") });
    expect(events.filter(({ type }) => type.startsWith("donation."))).toEqual([]);
  });

  test("a key that may not read alerts gets none of their events, and is refused to ask for them: insufficient_scope", async (context) => {
    const key = keyOf(context, "readOnly");
    await freshQueue();
    const after = await endOfLog();
    const one = await donate();
    await freshQueue(); // skips it
    const typesOf = async (options: object) => new Set((await listAllEvents({ after }, options)).map(({ type }) => type));
    expect([...(await typesOf({}))]).toContain("alert.skipped");
    expect([...(await typesOf({ key }))].filter((type) => !type.startsWith("donation."))).toEqual([]);
    const events = await listAllEvents({ after, ...ofCreated }, { key });
    expect(events.map(donationIdOf)).toContain(one.id);
    for (const types of ["alert.skipped", "goal.reached", ["donation.created", "alert.shown"]])
      expectProblem(await listEvents({ types }, { key }), 403, "insufficient_scope");
  });

  test("listEvents refuses types that the scopes do not allow with insufficient_scope", async (context) =>
    expectProblem(await listEvents(ofCreated, { key: keyOf(context, "writeOnly") }), 403, "insufficient_scope"));
});

describe("alerts", () => {
  test("an alert that the streamer clears is skipped, for the reason control", async () => {
    await freshQueue();
    const after = await endOfLog();
    const one = await donate();
    await freshQueue();
    const events = await listAllEvents({ after, types: "alert.skipped" });
    expect(events.map(({ data }) => data)).toContainEqual({ ...alertDataOf(one), status: "skipped", reason: "control" });
  });
});

// Donations of an import in the events: a history, which has not just happened.

const streamer = ownStreamer();
cleanUp(streamer);
const types = ["donation.created", "donation.voided"];
const without = { types, withImported: "false" };
const imported = (): Body => donation({ idempotencyKey: freshKey() });
const idOf = ({ data }: Event | Omit<Event, "id">): string => ("id" in data ? data.id : "");

async function importTwo(key?: string, importId?: string): Promise<string[]> {
  const options = { ...(key !== undefined && { key }), ...(importId !== undefined && { importId }) };
  return outcomesOf(await importAll("JSON", [imported(), imported()], options)).map(({ donationId }) => String(donationId));
}

const record = async (key?: string): Promise<string> => recorded(await create(donation(), { key })).id;

test("the events of imported donations say so, those recorded before, between and after say that they are not", async (context) => {
  const [after, importId] = [await endOfLog(), crypto.randomUUID()];
  const [before, first, between, second, later] = [
    await record(),
    await importTwo(undefined, importId),
    await record(),
    await importTwo(),
    await record(),
  ];
  await undoImport(operatorOf(context), importId);
  const told = (await listAllEvents({ types, after })).map((event) => [
    event.type,
    idOf(event),
    (event.data as { isImported: boolean }).isImported,
  ]);
  const expected = [[before, false], ...first.map((id) => [id, true]), [between, false], ...second.map((id) => [id, true]), [later, false]];
  const own = expected.map(([id]) => id);
  expect(told.filter(([type, id]) => type === "donation.created" && own.includes(id as string)).map(([, ...rest]) => rest)).toEqual(
    expected,
  );
  for (const id of first) expect(told).toContainEqual(["donation.voided", id, true]);
});

describe("withImported=false leaves the events of imported donations out", () => {
  test("a list with withImported=false has every other event once, page by page", async (context) => {
    const [after, importId] = [await endOfLog(), crypto.randomUUID()];
    const first = await record();
    const left = await importTwo(undefined, importId);
    const second = await record();
    await undoImport(operatorOf(context), importId);
    for (const limit of [1, 2, 100]) {
      const ids = (await listAllEvents({ ...without, after, limit })).map(idOf);
      expect(ids.filter((id) => [first, second].includes(id))).toEqual([first, second]);
      expect(ids.filter((id) => left.includes(id))).toEqual([]);
    }
    const all = eventPageOf(await listEvents({ types, withImported: "true", after })).data.map(idOf);
    expect(all).toEqual(expect.arrayContaining(left));
  });

  test("a stream with withImported=false has no event of an imported donation", async () => {
    const stream = await followEvents({ query: without });
    await stream.positioned();
    const left = await importTwo();
    const id = await record();
    await stream.next((event) => idOf(event) === id);
    expect(stream.received.map(({ event }) => idOf(event)).filter((one) => left.includes(one))).toEqual([]);
  });

  test("a WebSocket with withImported=false has no event of an imported donation", async () => {
    const socket = await openSocket();
    socket.send({ token: target().keys.main, types, withImported: false });
    await socket.next(({ cursor }) => cursor !== undefined);
    const left = await importTwo();
    const id = await record();
    await socket.next(({ event }) => event !== undefined && idOf(event) === id);
    expect(socket.received.flatMap(({ event }) => (event ? [idOf(event)] : [])).filter((one) => left.includes(one))).toEqual([]);
  });

  test("a webhook with withImported=false gets no event of an imported donation, nor by recovery", async (context) => {
    operatorOf(context); // it recovers whatever its streamer has got in an hour
    let secret = "";
    const receiver = await openReceiver(() => secret);
    const webhook = await created(streamer(context), { url: receiver.url, types, withImported: false });
    ({ secret } = webhook);
    const before = await record(streamer(context));
    await importTwo(streamer(context));
    const after = await record(streamer(context));
    const idsOf = async (count: number) => (await receiver.have(count)).map(({ event }) => idOf(event));
    expect(await idsOf(2)).toEqual([before, after]);
    await settled(streamer(context), webhook.id, { status: "succeeded", count: 2 });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { count } = dataOf<{ count: number }>(await call(streamer(context), ["POST", `/${webhook.id}/recover`], { since }), 202);
    await settled(streamer(context), webhook.id, { status: "succeeded", count: 2 + count });
    const told = await listAllEvents(without, { key: streamer(context) });
    expect((await idsOf(2 + count)).toSorted()).toEqual(told.map(idOf).toSorted());
  });

  test("a new webhook gets events of imported donations, until it is changed to withImported=false", async (context) => {
    const { id, withImported } = await created(streamer(context), { url: "https://hooks.test/a" });
    const change = (members: object) => call(streamer(context), ["PATCH", `/${id}`], members);
    expect(withImported).toBe(true);
    expect(dataOf<Webhook>(await change({ withImported: false })).withImported).toBe(false);
    expect(dataOf<Webhook>(await change({ description: "x" }))).toEqual(await find(streamer(context), id));
    expect(dataOf<Webhook>(await change({})).withImported).toBe(false);
  });
});
