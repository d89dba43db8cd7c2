import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Donation, expectFaults, expectNow, get, readDonation } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { addDonation } from "../../suite/client/operator.ts";
import {
  change,
  control,
  defaults,
  donate,
  freshQueue,
  latestCreatedAt,
  queue,
  queueOf,
} from "../../suite/client/overlay/alert-controls.ts";
import { closePages, firstPlayback, follow, freshPlayer, overlayKeyOf, type Page, show } from "../../suite/client/overlay/overlay-page.ts";
import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import { type Body, freshIdentifier, nextDown, tiniest } from "../../suite/values/donations.ts";
import { keyOf, operatorOf, target } from "../../suite/values/target.ts";
import { spellings } from "../../suite/values/text.ts";

let idle: Page | null = null;
let idleSince = 0;

/** One page stays idle while the others are tested: it receives only comments. */
beforeAll(async () => {
  const key = target().keys.otherOverlay;
  idleSince = Date.now();
  idle = key === null ? null : await follow({ key, plays: false });
});
beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await freshQueue();
});
afterEach(() => closePages(idle));
afterAll(() => closePages());

describe("parameters", () => {
  test.each([
    ["", { client: "browser", active: true }],
    ["&client=obs&active=true", { client: "obs", active: true }],
    ["&active=false", { client: "browser", active: false }],
  ])("client and active are those of the overlay in the queue, and have defaults: %s", async (query, listed) => {
    const parameters = new URLSearchParams(query);
    const client = parameters.get("client") as "obs" | null;
    const active = parameters.get("active");
    await follow({ ...(client && { client }), ...(active && { active: active === "true" }) });
    await expect.poll(async () => queueOf(await queue()).overlays).toMatchObject([listed]);
  });

  const ask = (query: string) => send({ path: `/api/v1/overlay/stream?${query}`, key: target().keys.overlay });

  test.each([
    ["", "player required"],
    ["player=", "player invalid_format"],
    [`player=${"x".repeat(65)}`, "player invalid_format"],
    ["player=a%20b", "player invalid_format"],
    ["player=%E0%B8%81", "player invalid_format"],
    ["player=a&player=b", "player repeated_parameter"],
    ["player=a&plays=1", "plays invalid_type"],
    ["player=a&plays=True", "plays invalid_type"],
    ["player=a&playing=x", "playing invalid_format"],
    ["player=a&key=x", "key unknown_parameter"],
  ])("a stream with ?%s is refused", async (query, fault) => expectFaults(await ask(query), fault));

  test.each(["a", "x".repeat(64), "Az_-09"])("a stream accepts %s as a player", async (player) => {
    expect(await (await follow({ player })).next("snapshot")).toMatchObject({ role: "player" });
  });
});

test("HEAD on a stream answers like GET, and does not take the place of a player", async (context) => {
  const path = `/api/v1/overlay/stream?player=${freshPlayer()}&plays=true`;
  const reply = await send({ method: "HEAD", path, key: overlayKeyOf(context) });
  expect([reply.status, reply.headers["content-type"]?.split(";")[0]]).toEqual([200, "text/event-stream"]);
  const page = await follow();
  const { role } = await page.next("snapshot");
  if (role !== "player") await page.next("role", (told) => told.role === "player");
});

describe("the snapshot", () => {
  test("the first event of a stream is a snapshot with role, settings, current playback and widgets' figures", async () => {
    const page = await follow();
    const snapshot = await page.next("snapshot");
    expect(page.events[0]).toEqual({ event: "snapshot", data: snapshot });
    const { volume, speech, speechSpeed, minimumSeconds, maximumSeconds } = defaults;
    expect(snapshot).toMatchObject({ role: "player", paused: false, hidden: false, playback: null, widgets: { goal: null, goals: [] } });
    expect(snapshot.settings).toEqual({ volume, speechVolume: volume, speechSpeed, speech, minimumSeconds, maximumSeconds });
    expectNow(snapshot.widgets.asOf, page);
    expect(page.headers).toMatchObject({ "cache-control": "no-store" });
  });

  test("alerts that waited for a page are played when one connects", async () => {
    const { id } = await donate();
    expect(await firstPlayback(await follow())).toMatchObject({ donationId: id, replay: false });
  });

  test("a listener gets no playback", async () => {
    await donate();
    const page = await follow({ plays: false });
    expect(await page.next("snapshot")).toMatchObject({ role: "listener", playback: null });
    await page.expectNothing("playback");
  });
});

describe("a donation", () => {
  test("a donation arrives on the stream as it was sent, without its identifier", async () => {
    const page = await follow();
    const identifier = freshIdentifier();
    const createdAt = latestCreatedAt();
    const sent = await donate({
      donatorName: "<b>สมชาย</b>",
      amount: 123.45,
      message: "บรรทัด\nใหม่ \u2028 </script>",
      identifier,
      createdAt,
    });
    const playback = await page.next("playback");
    expect(playback).toEqual({
      id: playback.id,
      donationId: sent.id,
      donatorName: sent.donatorName,
      amount: 123.45,
      currency: "THB",
      message: sent.message,
      source: "external",
      speech: playback.speech,
      replay: false,
      faster: false,
      variation: null,
      masked: false,
      elapsedMs: null,
    });
    await page.next("widgets", ({ recent }) => recent[0]?.donationId === sent.id);
    expect(JSON.stringify(page.events)).not.toContain(identifier);
  });

  test("texts of a donation reach queue, alert and widgets as they were sent: every line end, normal form, case, blank and unseen character", async () => {
    await control("pause");
    const page = await follow();
    const sent: Donation[] = [];
    for (const message of spellings.join("|").match(/.{1,255}/gsu) ?? [])
      sent.push(await donate({ donatorName: " a\u200b\r\nе\u0301 ", message, createdAt: latestCreatedAt() }));
    const shown = sent.map(({ id, donatorName, message }) => ({ donationId: id, donatorName, message }));
    expect(queueOf(await queue()).waiting).toMatchObject(shown);
    const { recent } = await page.next("widgets", (told) => told.recent[0]?.donationId === sent.at(-1)?.id);
    expect(recent.slice(0, shown.length)).toMatchObject(shown.toReversed());
    await control("resume");
    for (const texts of shown) expect(await show(page)).toMatchObject(texts);
  });

  test("alerts at the bounds of amount, texts and createdAt are shown one after the other", async () => {
    await change({ speech: false }); // each speech may take seconds
    const page = await follow();
    const [name, message] = [lengthsOf("donatorName").max, lengthsOf("message").max];
    const bodies: Body[] = [
      ...[tiniest, 1e-7, 0.005, nextDown(maxAmount), maxAmount].map((amount) => ({ amount })),
      ...[" ", "\0", "\u0300".repeat(name), "😀".repeat(name), "ก้".repeat(name / 2)].map((donatorName) => ({ donatorName })),
      ...["\u0300", "😀", "\0"].map((letter) => ({ message: letter.repeat(message) })),
      ...["0000-02-29T00:00Z", "9999-12-31T23:59:59.999-23:59"].map((createdAt) => ({ createdAt })),
    ];
    const expectShown = async (body: Body) => {
      const { id, donatorName, amount, message } = await donate(body);
      expect(await show(page)).toMatchObject({ donationId: id, donatorName, amount, message });
    };
    for (const body of bodies) await expectShown(body);
    await change({ speech: true });
    for (const donatorName of [" ", "\0"]) await expectShown({ donatorName }); // no letter to say
  });

  test("a donation with skipAlert raises no alert, but changes the widgets", async () => {
    const page = await follow();
    const { widgets } = await page.next("snapshot");
    const { id } = await donate({ skipAlert: true, amount: 7, createdAt: latestCreatedAt() });
    const { totals } = await page.next("widgets", ({ recent }) => recent[0]?.donationId === id);
    expect(totals.all.count).toBe(widgets.totals.all.count + 1);
    await page.expectNothing("playback");
  });

  test("a native donation causes the same events as an external one", async (context) => {
    const operator = operatorOf(context);
    const page = await follow();
    let { count } = (await page.next("snapshot")).widgets.totals.all;
    const seen = async () => {
      const playback = await show(page);
      count += 1;
      await page.next("widgets", ({ totals }) => totals.all.count === count);
      return playback;
    };
    const donatorName = "ทดสอบ";
    await donate({ donatorName, amount: 321 });
    const external = await seen();
    await addDonation(operator, "native", "promptpay", 321);
    const native = await seen();
    const told = (id: string) =>
      page.events.flatMap(({ event, data }) => (event === "playback" && data.id === id ? [{ ...data, id: "", donationId: "" }] : []));
    expect(told(native.id)).toEqual(told(external.id).map((one) => ({ ...one, source: "native" })));
    for (const { donationId } of [external, native]) expect(readDonation(await get(donationId)).alert.status).toBe("shown");
  });

  test("thirty concurrent donations arrive one after the other, in the order of recording, each once", async () => {
    const page = await follow();
    const sent = await Promise.all(Array.from({ length: 30 }, () => donate()));
    const shown = [];
    for (let i = 0; i < sent.length; i += 1) shown.push((await show(page)).donationId);
    expect(shown.toSorted()).toEqual(sent.map(({ id }) => id).sort());
    const recorded = await Promise.all(shown.map(async (id) => readDonation(await get(id)).receivedAt));
    expect(recorded).toEqual(recorded.toSorted());
    await page.expectNothing("playback");
  });
});

test("every streamer has a stream of their own", async (context) => {
  await freshQueue({ key: keyOf(context, "other") });
  const other = await follow({ key: keyOf(context, "otherOverlay") });
  const { id } = await donate();
  await other.expectNothing("playback");
  await donate({ skipAlert: true }, { key: keyOf(context, "other") });
  const { recent } = await other.next("widgets");
  expect(recent.map(({ donationId }) => donationId)).not.toContain(id);
});

test("the queue shows connected as false once all pages have disconnected", async () => {
  await expect.poll(async () => queueOf(await queue()).connected).toBe(false);
});

test("an idle stream sends something at least every 15 seconds", async (context) => {
  if (!idle) return context.skip("not run: OTHER_OVERLAY_KEY is not set");
  const { comments } = idle;
  const busyMs = 10_000; // what a busy machine may add
  await expect.poll(comments, { timeout: Math.max(1, idleSince + 15_000 + busyMs - Date.now()), interval: 50 }).toBeGreaterThan(0);
});
