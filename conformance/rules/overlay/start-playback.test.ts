import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectFaults, expectProblem, get, readDonation } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { control, donate, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, freshPlayer, overlayKeyOf } from "../../suite/client/overlay/overlay-page.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { keyOf, target } from "../../suite/values/target.ts";

// Rules of the start of a playback, and those that both acknowledgements share.

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

test("the start of a playback marks it and the donation's alert as playing; repeating it changes nothing", async () => {
  const { page, donation, id } = await handedOut();
  for (let i = 0; i < 3; i += 1) expect((await acknowledge("started", id, page)).body).toEqual({ data: { id, status: "playing" } });
  expect(readDonation(await get(donation.id)).alert).toEqual({ status: "playing", reason: null, shownAt: null, masked: false });
  await acknowledge("ended", id, page);
  expect((await acknowledge("started", id, page)).body).toEqual({ data: { id, status: "shown" } });
});

test("no other alert is handed out while a playback runs", async () => {
  const { page, id } = await handedOut();
  await acknowledge("started", id, page);
  await donate();
  await page.expectNothing("playback");
});

describe.each(steps)("%s", (step) => {
  test(`acknowledgement "${step}" of another player is refused with alert_state_conflict, and changes nothing`, async () => {
    const { page, id } = await handedOut();
    expectProblem(await acknowledge(step, id, { player: freshPlayer() }), 409, "alert_state_conflict");
    expect((await acknowledge("started", id, page)).status).toBe(200);
  });

  test(`acknowledgement "${step}" of a skipped playback is refused with alert_state_conflict`, async () => {
    const { page, id } = await handedOut();
    await control("skip");
    expectProblem(await acknowledge(step, id, page), 409, "alert_state_conflict");
  });

  test(`acknowledgement "${step}" of an unknown or malformed playback, or with another streamer's key, is refused with alert_not_found`, async (context) => {
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
  ])(`acknowledgement "${step}" with the body %s is refused`, async (body, fault) => expectFaults(await raw(body), fault));

  test.each(["a", "x".repeat(64), "A-_9"])(`acknowledgement "${step}" is accepted from a player named %s`, async (player) =>
    expectProblem(await raw(JSON.stringify({ player })), 404, "alert_not_found"),
  );
});
test("the end of a playback marks the alert as shown now, and the next one follows; repeating it changes nothing", async () => {
  const page = await follow();
  const [first, second] = [await donate(), await donate()];
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  expect((await acknowledge("ended", id, page)).body).toEqual({ data: { id, status: "shown" } });
  expect((await page.next("playback")).donationId).toBe(second.id);
  const { alert } = readDonation(await get(first.id));
  expect(alert).toMatchObject({ status: "shown", reason: null });
  expect(alert.shownAt && alert.shownAt >= first.receivedAt).toBe(true); // both by the server's clock
  expect((await acknowledge("ended", id, page)).body).toEqual({ data: { id, status: "shown" } });
  expect(readDonation(await get(first.id)).alert).toEqual(alert);
});

test("an end whose start never arrived counts", async () => {
  const page = await follow();
  const { id } = await donate();
  await acknowledge("ended", (await page.next("playback")).id, page);
  expect(readDonation(await get(id)).alert.status).toBe("shown");
});

test("an end reported while the page is not connected counts: the alert is not shown again", async () => {
  const page = await follow();
  const { id } = await donate();
  const playback = await page.next("playback");
  await acknowledge("started", playback.id, page);
  page.close();
  await expect.poll(async () => queueOf(await queue()).connected).toBe(false);
  expect((await acknowledge("ended", playback.id, page)).status).toBe(200);
  const again = await follow({ player: page.player });
  expect((await again.next("snapshot")).playback).toBeNull();
  expect(readDonation(await get(id)).alert.status).toBe("shown");
});

// The speech of a playback.

const speech = (id: string, key: string): Promise<Reply> => send({ path: `/api/v1/overlay/speech/${id}`, key });

test.for(["0".repeat(64), "x", "A".repeat(64), "0".repeat(65), "%00", "01932f6e-8a00-7000-8000-3f1e5a7c9b21"])(
  "an address that names no speech of this streamer is refused with speech_not_found: %s",
  async (id, context) => {
    const reply = await speech(id, overlayKeyOf(context));
    expectProblem(reply, 404, "speech_not_found");
    expect(reply.headers["cache-control"]).toBe("no-store");
  },
);

/** How long the WAV file lasts; null: it is none. */
async function wavMs(id: string, key: string): Promise<number | null> {
  const reply = await fetch(`${target().url}/api/v1/overlay/speech/${id}`, { headers: { Authorization: `Bearer ${key}` } });
  const file = Buffer.from(await reply.arrayBuffer());
  return /^RIFF.{4}WAVEfmt /s.test(file.toString("latin1")) ? ((file.length - 44) / file.readUInt32LE(28)) * 1_000 : null;
}

test("the speech of a playback is audio of the duration that is told, and may be cached for ever; for other streamers it does not exist", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await donate({ message: "สวัสดี" });
  const { speech: said } = await page.next("playback");
  if (!said) return context.skip("not applicable: this server does not speak");
  const reply = await speech(said.id, overlayKeyOf(context));
  expect([reply.status, reply.headers["content-type"]]).toEqual([200, said.mime]);
  expect(reply.headers["cache-control"]).toBe("private, max-age=31536000, immutable");
  expect(reply.text.length).toBeGreaterThan(1_000);
  const lasts = await wavMs(said.id, overlayKeyOf(context));
  if (lasts !== null && said.durationMs !== null) expect(Math.abs(said.durationMs - lasts), "milliseconds").toBeLessThan(100);
  expectProblem(await speech(said.id, keyOf(context, "otherOverlay")), 404, "speech_not_found");
});
