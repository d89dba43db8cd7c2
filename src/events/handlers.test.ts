import { expect, test } from "vitest";
import { useDatabase } from "../db/testing.ts";
import { cursorCodec } from "../http/cursor.ts";
import type { OperationRequest, Principal, Schemas } from "../http/operations.ts";
import { listEvents, makeFollow } from "./handlers.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { openLogFixture } from "./testing.ts";

let fixture: ReturnType<typeof openLogFixture>;
useDatabase(async (database) => {
  fixture = openLogFixture(database);
});

type Page = Schemas["EventPage"];

const cursors = cursorCodec(Buffer.alloc(32));
const subscriptions = {} as Subscriptions;

/** A streamer whose log was restored to before the last of three donations, and a cursor from before that. */
async function restored() {
  const streamerId = await fixture.newStreamer();
  const principal = { streamerId, applicationId: "anything", scopes: ["read:donations"] } as unknown as Principal;
  const ids = await fixture.donate(streamerId, {}, {}, {});
  const answer = listEvents(fixture.log, cursors);
  const list = async (after?: string): Promise<Page> => {
    const request = { query: { after, limit: 100 } } as unknown as OperationRequest<"listEvents">;
    return ((await answer(request, principal)) as unknown as { body: Page }).body;
  };
  const { nextCursor: after } = (await list()).pagination;
  await fixture
    .knex("donations")
    .where({ id: ids[2] as string })
    .delete();
  await fixture.knex("streamers").where({ id: streamerId }).decrement("last_sequence", 1);
  return { principal, list, after, left: ids.slice(0, 2) };
}

test("a list after a cursor beyond the end of the log, as after a restore, is refused with invalid_cursor, so that no event is passed by", async () => {
  const { list, after, left } = await restored();
  await expect(list(after)).rejects.toMatchObject({ code: "invalid_cursor" });
  expect(await list()).toMatchObject({ data: left.map((id) => ({ id })) });
});

test("a stream after a cursor beyond the end of the log is refused with invalid_cursor before it begins", async () => {
  const { principal, after } = await restored();
  const asked = makeFollow(fixture.log, cursors, subscriptions)(principal, undefined, { after, keepalive: 15, withImported: true });
  await expect(asked).rejects.toMatchObject({ code: "invalid_cursor" });
});
