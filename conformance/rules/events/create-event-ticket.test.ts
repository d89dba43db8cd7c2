import { afterEach, describe, expect, test } from "vitest";

import { create, expectFaults, expectProblem, recorded } from "../../suite/client/api.ts";
import {
  closeSockets,
  closeStreams,
  type EventSocket,
  endOfLog,
  followEvents,
  openSocket,
  ticketOf,
} from "../../suite/client/events/event-stream.ts";
import { send } from "../../suite/client/http-client.ts";
import { addKey, revokeKey } from "../../suite/client/operator.ts";
import { passTime } from "../../suite/servers/database.ts";
import { donation } from "../../suite/values/donations.ts";
import { keyOf, operatorOf, target } from "../../suite/values/target.ts";

afterEach(() => {
  closeSockets();
  closeStreams();
});

const created = { types: ["donation.created"] };
const idOf = (message: { event?: { data: object } }) => (message.event && "id" in message.event.data ? message.event.data.id : null);

describe("a WebSocket", () => {
  test("a WebSocket with the token in its first message gets what is recorded while it is open", async () => {
    const socket = await openSocket();
    socket.send({ token: target().keys.main, ...created });
    await socket.next(({ cursor }) => cursor !== undefined);
    const one = recorded(await create(donation()));
    expect((await socket.next((message) => idOf(message) === one.id)).event).toMatchObject({ type: "donation.created" });
  });

  test.each(["its first message", "the query beside its ticket"])(
    "a WebSocket goes on from the position in %s, with the types that stand there",
    async (place) => {
      const after = await endOfLog();
      const sent = await Promise.all([1, 2].map(async () => recorded(await create(donation({ skipAlert: true }))).id));
      const isMessage = place === "its first message";
      const ticket = isMessage ? "" : await ticketOf(target().keys.main);
      const socket = await openSocket(isMessage ? "" : `?ticket=${ticket}&after=${encodeURIComponent(after)}&types=donation.created`);
      if (isMessage) socket.send({ token: target().keys.main, after, ...created });
      const seen = () => socket.received.map(idOf).filter((id) => sent.includes(id as string));
      await socket.next(() => seen().length === sent.length);
      expect(seen().sort()).toEqual(sent.sort());
      const types = socket.received.flatMap(({ event }) => (event ? [event.type] : []));
      expect(new Set(types)).toEqual(new Set(created.types));
    },
  );

  test("a WebSocket with a ticket needs no token, and the ticket opens one only", async () => {
    const ticket = await ticketOf(target().keys.main);
    const socket = await openSocket(`?ticket=${ticket}&types=donation.created`);
    await socket.next(({ cursor }) => cursor !== undefined);
    const one = recorded(await create(donation()));
    await socket.next((message) => idOf(message) === one.id);
    const again = await openSocket(`?ticket=${ticket}`);
    expect((await again.next(({ problem }) => problem !== undefined)).problem).toMatchObject({ status: 401, code: "invalid_token" });
    expect(await again.closed).toBe(4401);
  });

  test("a WebSocket with the header Authorization needs no message, and takes its query as the stream does", async () => {
    const after = await endOfLog();
    const one = recorded(await create(donation({ skipAlert: true })));
    const query = `?after=${encodeURIComponent(after)}&types=donation.created`;
    const socket = await openSocket(query, { Authorization: `Bearer ${target().keys.main}` });
    await socket.next((message) => idOf(message) === one.id);
    const wrong = await openSocket(query, { Authorization: "Bearer x" });
    expect((await wrong.next(({ problem }) => problem !== undefined)).problem).toMatchObject({ status: 401, code: "invalid_token" });
    expect(await wrong.closed).toBe(4401);
  });

  test.each([
    ["no object", "x", 4400, "validation_failed"],
    ["no token", {}, 4400, "validation_failed"],
    ["a token that is no text", { token: 5 }, 4400, "validation_failed"],
    ["a token with a line end", { token: "a\r\nb" }, 4400, "validation_failed"],
    ["an unknown token", { token: "x" }, 4401, "invalid_token"],
    ["a position that is no cursor", { token: target().keys.main, after: "x" }, 4400, "invalid_cursor"],
    ["an unknown type", { token: target().keys.main, types: ["x"] }, 4400, "validation_failed"],
  ])("a WebSocket whose first message has %s is told why, and closed", async (_, message, code, problem) => {
    const socket = await openSocket();
    socket.send(message);
    expect((await socket.next((one) => one.problem !== undefined)).problem).toMatchObject({ status: code - 4000, code: problem });
    expect(await socket.closed).toBe(code);
  });

  test("a WebSocket whose first message has types that its scopes do not allow is told why, and closed", async (context) => {
    const socket = await openSocket();
    socket.send({ token: keyOf(context, "writeOnly"), ...created });
    expect((await socket.next((one) => one.problem !== undefined)).problem).toMatchObject({ status: 403, code: "insufficient_scope" });
    expect(await socket.closed).toBe(4403);
  });
});

test("a WebSocket with a cursor of another streamer is told invalid_cursor, and closed", async (context) => {
  const after = await endOfLog({ key: keyOf(context, "other") });
  const socket = await openSocket();
  socket.send({ token: target().keys.main, after, ...created });
  expect((await socket.next((one) => one.problem !== undefined)).problem).toMatchObject({ status: 400, code: "invalid_cursor" });
  expect(await socket.closed).toBe(4400);
});

describe("a ticket", () => {
  const closedAs = async (socket: EventSocket, code: string, status: number): Promise<void> => {
    expect((await socket.next(({ problem }) => problem !== undefined)).problem).toMatchObject({ status, code });
    expect(await socket.closed).toBe(4000 + status);
  };

  test("a ticket says that it can be used for half a minute, and opens nothing after that: invalid_token", async () => {
    const sentAt = performance.now();
    const reply = await send({ method: "POST", path: "/api/v1/events/tickets" });
    const elapsed = performance.now() - sentAt;
    const { ticket, expiresAt } = (reply.body as { data: { ticket: string; expiresAt: string } }).data;
    const left = Date.parse(expiresAt) - Date.parse(String(reply.headers.date)); // a Date has whole seconds
    expect(left).toBeGreaterThanOrEqual(30_000 - elapsed);
    expect(left).toBeLessThanOrEqual(32_000);
    await passTime(left / 1000 + 1, "event_tickets");
    await closedAs(await openSocket(`?ticket=${ticket}`), "invalid_token", 401);
  });

  test("a ticket in the query stands for the header of one stream of events, and is used up by it: invalid_token", async () => {
    const ticket = await ticketOf(target().keys.main);
    const stream = await followEvents({ key: null, query: { ticket, ...created } });
    await stream.positioned();
    const one = recorded(await create(donation({ skipAlert: true })));
    await stream.next(({ data }) => "id" in data && data.id === one.id);
    expectProblem(await send({ path: `/api/v1/events/stream?ticket=${ticket}`, key: null }), 401, "invalid_token");
  });

  test("a ticket stands for the header also where a browser has sent a proxy's name and password in it", async () => {
    const path = `/api/v1/events/stream?ticket=${await ticketOf(target().keys.main)}`;
    const reply = await send({ method: "HEAD", path, key: null, headers: { Authorization: "Basic eDp5" } });
    expect(reply.status).toBe(200);
  });

  test("a ticket beside the header Authorization is a parameter that nobody knows", async () => {
    const ticket = await ticketOf(target().keys.main);
    expectFaults(await send({ path: `/api/v1/events/stream?ticket=${ticket}` }), "ticket unknown_parameter");
  });

  test("a ticket lends no scope that its credential has not: insufficient_scope", async (context) => {
    const ticket = await ticketOf(keyOf(context, "writeOnly"));
    await closedAs(await openSocket(`?ticket=${ticket}&types=donation.created`), "insufficient_scope", 403);
  });

  test("a ticket leads to the events of its own streamer alone", async (context) => {
    const other = keyOf(context, "other");
    const socket = await openSocket(`?ticket=${await ticketOf(other)}&types=donation.created`);
    await socket.next(({ cursor }) => cursor !== undefined);
    const own = recorded(await create(donation({ skipAlert: true })));
    const theirs = recorded(await create(donation({ skipAlert: true }), { key: other }));
    await socket.next((message) => idOf(message) === theirs.id);
    expect(socket.received.map(idOf)).not.toContain(own.id);
  });

  test("a ticket is worth nothing when its key has been revoked since: token_revoked", async (context) => {
    const operator = operatorOf(context);
    const key = await addKey(operator, operator.handle, "read:donations");
    const ticket = await ticketOf(key);
    await revokeKey(operator, key);
    await expect.poll(async () => (await send({ path: "/api/v1/me", key })).status).toBe(401);
    expect(await (await openSocket(`?ticket=${ticket}&types=donation.created`)).closed).toBe(4401);
  });
});
