import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectFaults, expectProblem, found, get } from "../../harness/client/api.ts";
import { send } from "../../harness/client/http-client.ts";
import { control, donate, freshQueue } from "../../harness/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, freshPlayer, overlayKeyOf } from "../../harness/overlay/overlay-page.ts";
import { keyOf, target } from "../../harness/server/target.ts";

// What holds for both acknowledgements is told of both here.

beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await freshQueue();
});
afterEach(() => closePages());

const steps = ["started", "ended"] as const;

async function handedOut() {
  const page = await follow();
  const donation = await donate();
  return { page, donation, id: (await page.next("playback")).id };
}

test("the playback is playing, and so is the donation's alert; repeating it changes nothing", async () => {
  const { page, donation, id } = await handedOut();
  for (let i = 0; i < 3; i += 1) expect((await acknowledge("started", id, page)).body).toEqual({ data: { id, status: "playing" } });
  expect(found(await get(donation.id)).alert).toEqual({ status: "playing", reason: null, shownAt: null });
  await acknowledge("ended", id, page);
  expect((await acknowledge("started", id, page)).body).toEqual({ data: { id, status: "shown" } });
});

test("nothing else is handed out meanwhile", async () => {
  const { page, id } = await handedOut();
  await acknowledge("started", id, page);
  await donate();
  await page.nothing("playback");
});

describe.each(steps)("%s", (step) => {
  test("by another player is alert_state_conflict, and changes nothing", async () => {
    const { page, id } = await handedOut();
    expectProblem(await acknowledge(step, id, { player: freshPlayer() }), 409, "alert_state_conflict");
    expect((await acknowledge("started", id, page)).status).toBe(200);
  });

  test("of a playback that was skipped is alert_state_conflict", async () => {
    const { page, id } = await handedOut();
    await control("skip");
    expectProblem(await acknowledge(step, id, page), 409, "alert_state_conflict");
  });

  test("of an unknown or malformed playback, or with another streamer's key, is alert_not_found", async (context) => {
    const { page, id, donation } = await handedOut();
    for (const wrong of ["01932f6e-8a00-7000-8000-3f1e5a7c9b21", "x", id.toUpperCase(), donation.id])
      expectProblem(await acknowledge(step, wrong, page), 404, "alert_not_found");
    expectProblem(await acknowledge(step, id, { ...page, key: keyOf(context, "otherOverlay") }), 404, "alert_not_found");
  });

  const raw = (body: string) =>
    send({
      method: "POST",
      path: `/api/v1/overlay/playbacks/01932f6e-8a00-7000-8000-3f1e5a7c9b21/${step}`,
      key: target().keys.overlay,
      headers: { "Content-Type": "application/json" },
      body,
    });

  test.each([
    ["{}", "/player required"],
    [`{"player":""}`, "/player invalid_format"],
    [`{"player":"${"x".repeat(65)}"}`, "/player invalid_format"],
    [`{"player":"a b"}`, "/player invalid_format"],
    [`{"player":1}`, "/player invalid_type"],
    [`{"player":null}`, "/player invalid_type"],
    [`{"player":"a","at":1}`, "/at unknown_member"],
    ["[]", " invalid_type"],
  ])("with the body %s it is refused", async (body, fault) => expectFaults(await raw(body), fault));

  test.each(["a", "x".repeat(64), "A-_9"])("%s is a player", async (player) =>
    expectProblem(await raw(JSON.stringify({ player })), 404, "alert_not_found"),
  );
});
