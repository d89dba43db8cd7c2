import { beforeEach, expect, test } from "vitest";
import { expectProblem } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { call, dataOf, resultOf, toolProblem } from "../../suite/client/mcp.ts";
import { addKey, newStreamer } from "../../suite/client/operator.ts";
import { change, control, decide, donate, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { operations } from "../../suite/contract/contract.ts";
import { filled, unknownId } from "../../suite/contract/resources.ts";
import { target } from "../../suite/values/target.ts";

// What a key with the scope moderate:alerts alone may do, and that it may do nothing else.

const streamer = newStreamer();
let moderator = "";

beforeEach(async (context) => {
  const { operator } = target();
  const key = streamer(context as never);
  if (!operator) return context.skip("not run: needs the operator's command line");
  const me = (await send({ path: "/api/v1/me", key })).body as { data: { streamer: { handle: string } } };
  moderator ||= await addKey(operator, me.data.streamer.handle, "moderate:alerts", "moderators");
  await freshQueue({ key });
});

test("a moderator's key sees the queue, approves, masks, denies, skips what plays and single alerts, hides and ends hiding", async (context) => {
  const key = streamer(context);
  await change({ approval: "all" }, { key });
  const donations = [];
  for (let i = 0; i < 3; i += 1) donations.push((await donate({}, { key })).id);
  const by = { key: moderator };
  await expect.poll(async () => queueOf(await queue(by)).heldCount).toBe(3);
  const [one = "", two = "", three = ""] = donations;
  for (const reply of [await decide(one, "approve", by), await decide(two, "mask", by), await decide(three, "deny", by)])
    expect(reply.status).toBe(200);
  expectProblem(await control("skip", by), 409, "alert_state_conflict");
  expect((await decide(one, "skip", by)).status).toBe(200);
  expect(queueOf(await control("hide", by)).hidden).toBe(true);
  expect(queueOf(await control("unhide", by)).hidden).toBe(false);
});

test("a moderator's key calls the tools of the alert queue at /mcp, and is refused those that read donations", async () => {
  const by = { key: moderator };
  expect(dataOf(resultOf(await call("get_alert_queue", {}, by)))).toMatchObject({ heldCount: 0 });
  expect(toolProblem(resultOf(await call("approve_alert", { donationId: unknownId }, by))).code).toBe("alert_not_found");
  expectProblem(await call("list_donations", {}, by), 403, "insufficient_scope");
});

/** What a moderator may call, and what any credential may call. */
const allowed = ["getAlertQueue", "approveAlert", "maskAlert", "denyAlert", "skipAlert", "skipOneAlert", "hideAlerts", "unhideAlerts"];
const others = operations.filter(({ id, scopes }) => scopes !== null && scopes.length > 0 && !allowed.includes(id));

test.each(others.map(({ id, method, path }) => ({ id, method, path })))(
  "a moderator's key is refused $id with insufficient_scope",
  async ({ method, path }) => {
    expectProblem(await send({ method, path: filled(path), key: moderator }), 403, "insufficient_scope");
  },
);

test("a moderator's key lists no events, because no type of event is in its scope", async () => {
  const reply = await send({ path: "/api/v1/events", key: moderator });
  expect([reply.status, (reply.body as { data: unknown[] }).data]).toEqual([200, []]);
  expectProblem(await send({ path: "/api/v1/events?types=alert.held", key: moderator }), 403, "insufficient_scope");
});
