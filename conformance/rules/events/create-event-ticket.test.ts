import { afterEach, describe, expect, test } from "vitest";

import { create, recorded } from "../../harness/client/api.ts";
import { closeSockets, openSocket, ticketOf } from "../../harness/events/event-socket.ts";
import { endOfLog } from "../../harness/events/event-stream.ts";
import { donation } from "../../harness/generators/donations.ts";
import { target } from "../../harness/server/target.ts";

afterEach(closeSockets);

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

  test("a WebSocket goes on from a position of the list", async () => {
    const after = await endOfLog();
    const ids = [recorded(await create(donation())).id, recorded(await create(donation())).id];
    const socket = await openSocket();
    socket.send({ token: target().keys.main, after, ...created });
    await socket.next((message) => idOf(message) === ids[1]);
    expect(socket.received.map(idOf).filter((id) => ids.includes(id as string))).toEqual(ids);
  });

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

  test.each([
    ["no object", "x", 4400, "validation_failed"],
    ["no token", {}, 4400, "validation_failed"],
    ["a token that is no text", { token: 5 }, 4400, "validation_failed"],
    ["a token with a line end", { token: "a\r\nb" }, 4400, "validation_failed"],
    ["an unknown token", { token: "x" }, 4401, "invalid_token"],
    ["a position that is no cursor", { token: target().keys.main, after: "x" }, 4400, "invalid_cursor"],
    ["an unknown type", { token: target().keys.main, types: ["x"] }, 4400, "validation_failed"],
    ["types that its scopes do not allow", { token: target().keys.writeOnly, ...created }, 4403, "insufficient_scope"],
  ])("a WebSocket whose first message has %s is told why, and closed", async (_, message, code, problem) => {
    const socket = await openSocket();
    socket.send(message);
    expect((await socket.next((one) => one.problem !== undefined)).problem).toMatchObject({ status: code - 4000, code: problem });
    expect(await socket.closed).toBe(code);
  });
});
