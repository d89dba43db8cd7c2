import { afterEach, describe, expect, test } from "vitest";

import { create, recorded } from "../../suite/client/api.ts";
import { closeSockets, openSocket } from "../../suite/client/events/event-socket.ts";
import {
  closeStreams,
  type Event,
  endOfLog,
  eventPageOf,
  followEvents,
  listAllEvents,
  listEvents,
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
import { importAll, outcomesOf } from "../../suite/client/imports.ts";
import { undoImport } from "../../suite/client/operator.ts";
import { type Body, donation, freshKey } from "../../suite/values/donations.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// Donations of an import in the events: a history, which has not just happened.

const streamer = ownStreamer();
cleanUp(streamer);
afterEach(closeStreams);
afterEach(closeSockets);

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
