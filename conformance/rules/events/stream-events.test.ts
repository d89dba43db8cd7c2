import { afterEach, describe, expect, test } from "vitest";

import { create, expectFaults, expectProblem, recorded } from "../../harness/client/api.ts";
import { send } from "../../harness/client/http-client.ts";
import { closeStreams, endOfLog, followEvents, listAllEvents } from "../../harness/events/event-stream.ts";
import { donation } from "../../harness/generators/donations.ts";
import { addKey, cli } from "../../harness/server/operator.ts";
import { keyOf, operatorOf, target } from "../../harness/server/target.ts";

afterEach(closeStreams);

const created = { types: "donation.created" };
const record = async () => recorded(await create(donation())).id;
const idOf = (event: { data: object }) => ("id" in event.data ? event.data.id : null);

describe("following", () => {
  test("a stream gets what is recorded while it is open, in this order", async () => {
    const stream = await followEvents({ query: created });
    await stream.positioned();
    const ids = [await record(), await record(), await record()];
    await stream.next((event) => idOf(event) === ids[2]);
    expect(stream.received.map(({ event }) => idOf(event)).filter((id) => ids.includes(id as string))).toEqual(ids);
    expect(stream.headers["content-type"]).toMatch(/^text\/event-stream/);
  });

  test.each([
    ["Last-Event-ID", (cursor: string) => ({ lastEventId: cursor })],
    ["after", (cursor: string) => ({ query: { ...created, after: cursor } })],
  ])("a stream that is opened again with %s gets what it has missed, once", async (_, again) => {
    const first = await followEvents({ query: created });
    const seen = await first.positioned();
    first.close();
    const ids = [await record(), await record()];
    const second = await followEvents({ query: created, ...again(seen) });
    const { id: cursor } = await second.next((event) => idOf(event) === ids[1]);
    expect(second.received.map(({ event }) => idOf(event)).filter((id) => ids.includes(id as string))).toEqual(ids);
    second.close();
    const later = await record();
    const third = await followEvents({ query: created, ...again(cursor) });
    await third.next((event) => idOf(event) === later);
    expect(third.received.some(({ event }) => ids.includes(idOf(event) as string))).toBe(false);
  });

  test("stream and list tell the same events, and their positions are interchangeable", async () => {
    const after = await endOfLog();
    const ids = [await record(), await record(), await record()];
    const stream = await followEvents({ query: { ...created, after } });
    const { id: cursor } = await stream.next((event) => idOf(event) === ids[0]);
    await stream.next((event) => idOf(event) === ids[2]);
    const listed = await listAllEvents({ ...created, after: cursor });
    const streamed = stream.received.map(({ event }) => event);
    const own = (events: typeof streamed) => events.filter((event) => ids.slice(1).includes(idOf(event) as string));
    expect(own(listed)).toEqual(own(streamed));
  });

  test("a stream that nothing happens on is told a position again and again", async () => {
    const stream = await followEvents({ query: { types: "goal.reached", keepalive: 5 } });
    await stream.positioned();
    const before = stream.comments();
    await expect.poll(stream.comments, { timeout: 15_000 }).toBeGreaterThan(before);
  }, 20_000);
});

describe("refusals", () => {
  const ask = (query: string, key = target().keys.main) => send({ path: `/api/v1/events/stream?${query}`, key });

  test.each([
    ["keepalive=4", "keepalive out_of_range"],
    ["keepalive=121", "keepalive out_of_range"],
    ["types=x", "types invalid_enum"],
  ])("a stream with ?%s is refused", async (query, fault) => expectFaults(await ask(query), fault));

  test("a position that is no cursor is refused: invalid_cursor", async () => expectProblem(await ask("after=x"), 400, "invalid_cursor"));

  test("types that the scopes do not allow are refused: insufficient_scope", async (context) =>
    expectProblem(await ask("types=donation.created", keyOf(context, "writeOnly")), 403, "insufficient_scope"));
});

test("a stream whose key is revoked ends within a second", async (context) => {
  const operator = operatorOf(context);
  const key = await addKey(operator, operator.handle, "read:donations");
  const keys = JSON.parse(await cli(operator, "keys", "list", "--streamer", operator.handle)) as { id: string; publicId: string }[];
  const id = keys.find(({ publicId }) => key.includes(publicId))?.id ?? "";
  const stream = await followEvents({ query: created, key });
  await stream.positioned();
  await cli(operator, "keys", "revoke", id);
  await stream.ended;
});
