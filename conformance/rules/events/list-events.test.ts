import { describe, expect, test } from "vitest";
import { create, expectFaults, expectProblem, get, readDonation, recorded, takeBack } from "../../suite/client/api.ts";
import { type Event, endOfLog, eventPageOf, listAllEvents, listEvents } from "../../suite/client/events/event-stream.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { addDonation } from "../../suite/client/operator.ts";
import { donate, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import { donation } from "../../suite/values/donations.ts";
import { keyOf, operatorOf } from "../../suite/values/target.ts";

const created = { types: "donation.created" };
const donationIdOf = ({ data }: Event): string => ("id" in data ? data.id : "");

describe("a recorded donation", () => {
  test("a recorded donation is an event: the donation as it was recorded, with isTest and isReplay", async () => {
    const after = await endOfLog();
    const one = recorded(await create(donation()));
    const events = await listAllEvents({ ...created, after });
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
    const told = async () => (await listAllEvents({ ...created, after })).find(({ data }) => "id" in data && data.id === one.id)?.data;
    const before = await told();
    await freshQueue(); // ends the alert
    await takeBack(one);
    expect([before, await told()]).toEqual([1, 2].map(() => ({ ...one, isTest: false, isReplay: false, isImported: false })));
  });

  test("a recorded donation is one event, however often its request is repeated", async () => {
    const after = await endOfLog();
    const body = donation({ idempotencyKey: crypto.randomUUID() });
    const one = recorded(await create(body));
    await create(body);
    const events = await listAllEvents({ ...created, after });
    expect(events.filter(({ data }) => "id" in data && data.id === one.id)).toHaveLength(1);
  });

  test("a recorded donation is a test where its source is test", async (context) => {
    const after = await endOfLog();
    await addDonation(operatorOf(context), "test", "other", 7);
    const events = await listAllEvents({ ...created, after });
    expect(events.map(({ data }) => data)).toContainEqual(expect.objectContaining({ isTest: true, source: "test", amount: 7 }));
  });
});

describe("pages", () => {
  test("page by page, every event comes once and in the order of recording", async () => {
    const after = await endOfLog();
    const sent: string[] = [];
    for (let count = 0; count < 7; count += 1) sent.push(recorded(await create(donation())).id);
    const events = await listAllEvents({ ...created, after, limit: 2 });
    expect(events.map(donationIdOf).filter((id) => sent.includes(id))).toEqual(sent);
  });

  test("who goes on from each cursor while donations are recorded gets every event once, in the order of the list", async () => {
    const start = await endOfLog();
    const [sent, seen]: [string[], string[]] = [[], []];
    let recording = true;
    const record = async (): Promise<void> => void sent.push(recorded(await create(donation({ skipAlert: true }))).id);
    const recordMany = holdsForEach(Array.from({ length: 200 }), record, 8).finally(() => (recording = false));
    for (let after = start, more = true; more; ) {
      const isRecording = recording; // what is recorded later is on the next page
      const { data, pagination } = eventPageOf(await listEvents({ ...created, after }));
      seen.push(...data.map(donationIdOf));
      after = pagination.nextCursor;
      more = isRecording || pagination.hasMore;
    }
    await recordMany;
    const all = (await listAllEvents({ ...created, after: start, limit: 1000 })).map(donationIdOf);
    expect(seen).toEqual(all);
    expect(all.filter((id) => sent.includes(id)).length).toBe(200);
  });

  test("the last page has a cursor, too, and it leads to what happens later", async () => {
    const after = await endOfLog();
    const one = recorded(await create(donation()));
    const { data } = eventPageOf(await listEvents({ ...created, after, limit: 1000 }));
    expect(data.some((event) => "id" in event.data && event.data.id === one.id)).toBe(true);
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
    const events = await listAllEvents({ after, ...created }, { key });
    expect(events.map(donationIdOf)).toContain(one.id);
    for (const types of ["alert.skipped", "goal.reached", ["donation.created", "alert.shown"]])
      expectProblem(await listEvents({ types }, { key }), 403, "insufficient_scope");
  });

  test("listEvents refuses types that the scopes do not allow with insufficient_scope", async (context) =>
    expectProblem(await listEvents(created, { key: keyOf(context, "writeOnly") }), 403, "insufficient_scope"));
});

describe("alerts", () => {
  test("an alert that the streamer clears is skipped, for the reason control", async () => {
    await freshQueue();
    const after = await endOfLog();
    const one = await donate();
    await freshQueue();
    const events = await listAllEvents({ after, types: "alert.skipped" });
    expect(events.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ donationId: one.id, donatorName: one.donatorName, status: "skipped", reason: "control", isReplay: false }),
    );
  });
});
