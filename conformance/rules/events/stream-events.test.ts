import { afterEach, describe, expect, test } from "vitest";

import { create, expectFaults, expectProblem, recorded } from "../../suite/client/api.ts";
import { closeStreams, type EventStream, endOfLog, followEvents, listAllEvents } from "../../suite/client/events/event-stream.ts";
import { send } from "../../suite/client/http-client.ts";
import { clientOf, expectRevoked, needsClients, newGrant, revoke } from "../../suite/client/oauth/oauth-client.ts";
import { addKey, newStreamer, revokeKey } from "../../suite/client/operator.ts";
import { sendOnce } from "../../suite/client/send-once.ts";
import { forged, stolenKey } from "../../suite/servers/credentials.ts";
import { donation } from "../../suite/values/donations.ts";
import { keyOf, operatorOf, target } from "../../suite/values/target.ts";

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

  test("an event is one line of data for clients that split lines at U+0085, U+2028 and U+2029 as well", async () => {
    const stream = await followEvents({ query: created });
    await stream.positioned();
    const { id, message } = recorded(await create(donation({ message: "a\u0085b\u2028c\u2029d" })));
    const { event } = await stream.next((told) => idOf(told) === id); // each block is checked where it is read
    expect(event.data).toMatchObject({ message });
  });

  test("a stream for a client that accepts gzip and br gets an event as soon as any other", async () => {
    const stream = await followEvents({ query: created, headers: { "Accept-Encoding": "gzip, br" } });
    await stream.positioned();
    const id = await record();
    await stream.next((event) => idOf(event) === id);
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

  test("Last-Event-ID counts more than after, and an empty one counts for nothing", async () => {
    const early = await endOfLog();
    const one = await record();
    const late = await endOfLog();
    const two = await record();
    const own = async (lastEventId: string) => {
      const stream = await followEvents({ query: { ...created, after: early }, lastEventId });
      await stream.next((event) => idOf(event) === two);
      return stream.received.map(({ event }) => idOf(event)).filter((id) => id === one || id === two);
    };
    expect([await own(late), await own("")]).toEqual([[two], [one, two]]);
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

  test("a client chooses how often it is sent a sign of life: one gets several while another gets none", async () => {
    const [often, seldom] = [5, 120].map((keepalive) => followEvents({ query: { types: "goal.reached", keepalive } }));
    const [busy, calm] = [await (often as Promise<EventStream>), await (seldom as Promise<EventStream>)];
    for (const stream of [busy, calm]) await stream.positioned();
    const [before, after] = [busy.comments(), calm.comments()];
    await expect.poll(busy.comments, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + 2);
    expect(calm.comments()).toBe(after);
  });

  test("HEAD is answered like GET without a stream, and takes no place among the hundred", async () => {
    for (let count = 0; count < 101; count += 1) {
      const reply = await send({ method: "HEAD", path: "/api/v1/events/stream" });
      expect([reply.status, reply.text]).toEqual([200, ""]);
      expect(reply.headers["content-type"]).toMatch(/^text\/event-stream/);
    }
    await (await followEvents({ query: created })).positioned();
  });

  test("a stream that nothing happens on is told a position again and again", async () => {
    const stream = await followEvents({ query: { types: "goal.reached", keepalive: 5 } });
    await stream.positioned();
    const before = stream.comments();
    await expect.poll(stream.comments).toBeGreaterThan(before);
  });
});

describe("refusals", () => {
  const ask = (query: string, key = target().keys.main) => send({ path: `/api/v1/events/stream?${query}`, key });

  test.each([
    ["keepalive=4", "keepalive out_of_range"],
    ["keepalive=121", "keepalive out_of_range"],
    ["types=x", "types invalid_enum"],
  ])("a stream with ?%s is refused", async (query, fault) => expectFaults(await ask(query), fault));

  test("a position that is no cursor is refused: invalid_cursor", async () => expectProblem(await ask("after=x"), 400, "invalid_cursor"));

  test("a Last-Event-ID that is no cursor is refused like after: invalid_cursor", async () =>
    expectProblem(await send({ path: "/api/v1/events/stream", headers: { "Last-Event-ID": "x" } }), 400, "invalid_cursor"));

  test("a cursor of another streamer is refused, in Last-Event-ID and in after: invalid_cursor", async (context) => {
    const theirs = await endOfLog({ key: keyOf(context, "other") });
    expectProblem(await send({ path: "/api/v1/events/stream", headers: { "Last-Event-ID": theirs } }), 400, "invalid_cursor");
    expectProblem(await ask(`after=${encodeURIComponent(theirs)}`), 400, "invalid_cursor");
  });

  test("streamEvents refuses types that the scopes do not allow with insufficient_scope", async (context) =>
    expectProblem(await ask("types=donation.created", keyOf(context, "writeOnly")), 403, "insufficient_scope"));
});

describe("a hundred streams", () => {
  const streamer = newStreamer();

  test("one more of a streamer is refused with rate_limited and Retry-After, until one of them ends", async (context) => {
    const key = streamer(context);
    const streams: EventStream[] = [];
    for (let count = 0; count < 100; count += 1) streams.push(await followEvents({ key }));
    const refused = await sendOnce({ path: "/api/v1/events/stream", key });
    expectProblem(refused, 429, "rate_limited");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    await (await followEvents()).positioned(); // another streamer's
    streams[0]?.close();
    const status = async (): Promise<number> => (await sendOnce({ method: "HEAD", path: "/api/v1/events/stream", key })).status;
    await expect.poll(status).toBe(200);
  });
});

describe("an access token", () => {
  const grantOf = () => newGrant(clientOf("confidential"), { scopes: "read:donations" });

  test("an access token whose grant is revoked ends its stream", async (context) => {
    needsClients(context);
    const { access_token: key, refresh_token } = await grantOf();
    const stream = await followEvents({ query: { ...created, keepalive: 120 }, key });
    await stream.positioned();
    expectRevoked(await revoke(clientOf("confidential"), refresh_token));
    await stream.ended;
  });

  test("an access token that expires ends its stream, while events arrive and before a sign of life is due", async (context) => {
    needsClients(context);
    const signingKey =
      (await stolenKey(operatorOf(context))) ?? context.skip("not applicable: the private keys are encrypted in the database");
    const { access_token } = await grantOf();
    const key = await forged(access_token, signingKey, { claims: { exp: Math.floor(Date.now() / 1000) + 4 } });
    const stream = await followEvents({ query: { ...created, keepalive: 120 }, key });
    await stream.positioned();
    let hasEnded = false;
    void stream.ended.then(() => (hasEnded = true));
    while (!hasEnded) await record();
    expectProblem(await send({ path: "/api/v1/events", key }), 401, "token_expired");
  });
});

test("a stream whose key is revoked ends", async (context) => {
  const operator = operatorOf(context);
  const key = await addKey(operator, operator.handle, "read:donations");
  const stream = await followEvents({ query: created, key });
  await stream.positioned();
  await revokeKey(operator, key);
  await stream.ended;
});
