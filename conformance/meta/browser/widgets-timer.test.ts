// The timer's page: what it shows of the data that it gets, and that it is right after a reload and after its server was killed.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { post, takeBack } from "../../suite/client/api.ts";
import { controlTimer, freshTimer, getTimer, timerOf } from "../../suite/client/timer.ts";
import { target } from "../../suite/values/target.ts";
import { noWidgets } from "./fake-overlay.ts";
import { type FaultyServer, startFaultyServer } from "./faulty-server.ts";
import { createLiveStreamer, type LiveStreamer } from "./live-streamer.ts";
import { type OverlayTab, openOverlay, textOf, until } from "./overlay-tab.ts";
import { expectInside, setUpWidgets, untilText } from "./widgets-setup.ts";

const setup = setUpWidgets();
const size = { width: 400, height: 130 };
const timer = (status: string, remainingMs: number) => ({
  ...noWidgets,
  timer: { status, remainingMs, endsAt: status === "running" ? "2026-11-20T12:30:00.000Z" : null },
});

/** What is shown as left, in seconds; NaN while nothing is. */
const secondsOn = async (tab: OverlayTab) =>
  ((await textOf(tab, "left")) ?? "x").split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

describe("its data", () => {
  test("a timer that runs counts down by itself, whatever the page's clock says", async () => {
    setup.fake.snapshot.widgets = timer("running", 3_723_000);
    const tab = await setup.open("timer", size);
    const first = await until(
      () => secondsOn(tab),
      (seconds) => seconds > 0,
    );
    expect(first).toBeLessThanOrEqual(3_723);
    expect(first).toBeGreaterThan(3_700);
    await until(
      () => secondsOn(tab),
      (seconds) => seconds < first - 1,
    );
    await expectInside(tab);
    expect(tab.complaints).toEqual([]);
  });

  test("a paused timer stands still and says so; one that has ended shows zero; without one nothing is shown", async () => {
    setup.fake.snapshot.widgets = timer("paused", 90_000);
    const tab = await setup.open("timer?lang=en", size);
    await untilText(tab, "left", "0:01:30");
    expect(await textOf(tab, "state")).toBe("paused");
    await tab.page.waitForTimeout(1_500); // a timer that ran would have moved on
    expect(await textOf(tab, "left")).toBe("0:01:30");
    setup.fake.send("widgets", timer("ended", 0));
    await untilText(tab, "state", "Time is up");
    expect(await textOf(tab, "left")).toBe("0:00:00");
    setup.fake.send("widgets", noWidgets);
    await until(
      () => textOf(tab, "left"),
      (text) => text === null,
    );
  });

  test("time that was added is shown beside the time that is left, and time that was taken is not", async () => {
    setup.fake.snapshot.widgets = timer("paused", 60_000);
    const tab = await setup.open("timer", size);
    await untilText(tab, "left", "0:01:00");
    setup.fake.send("widgets", timer("paused", 360_000));
    await untilText(tab, "gain", "+0:05:00");
    setup.fake.send("widgets", timer("paused", 30_000));
    await untilText(tab, "left", "0:00:30");
    expect(await textOf(tab, "gain")).toBe("+0:05:00");
    await expectInside(tab);
  });

  test("a second page of the browser shows what is left now, and not what was left when the first one connected", async () => {
    setup.fake.snapshot.widgets = timer("running", 600_000);
    const tab = await setup.open("timer", size);
    const first = await until(
      () => secondsOn(tab),
      (seconds) => seconds < 598,
    );
    const second = await tab.context.newPage();
    await second.goto(tab.page.url());
    const later = { ...tab, page: second };
    const seen = await until(
      () => secondsOn(later),
      (seconds) => seconds > 0,
    );
    expect(seen).toBeLessThanOrEqual(first);
  });
});

describe("a subathon", () => {
  let server: FaultyServer | null = null;
  let streamer: LiveStreamer;

  beforeAll(async () => {
    const { operator } = target();
    if (!operator) return;
    server = await startFaultyServer(operator, { TTS: "off" });
    streamer = await createLiveStreamer(server.operator, server.url);
  });
  afterAll(() => server?.stop());

  /** The page shows what the server says, to the second, once it has caught up. */
  async function expectTrue(tab: OverlayTab): Promise<void> {
    await expect
      .poll(async () => Math.abs((await secondsOn(tab)) - timerOf(await getTimer(streamer.as)).remainingMs / 1_000), { timeout: 60_000 })
      .toBeLessThan(1.5);
  }

  test("a donation, a pause, a reload and a server that is killed leave the page with the server's time", async () => {
    if (!server) throw new Error("not run: needs the operator's CLI");
    const options = streamer.as;
    await freshTimer(options);
    const tab = await openOverlay(setup.browser, { url: server.url, key: streamer.key }, { path: "timer", options: { viewport: size } });
    await expectTrue(tab);
    const before = await secondsOn(tab);
    const one = await post({ amount: 600, skipAlert: true }, options);
    await until(
      () => secondsOn(tab),
      (seconds) => seconds > before + 500,
    );
    await tab.page.reload();
    await expectTrue(tab);
    await server.killServer();
    await post({ amount: 300, skipAlert: true }, options);
    await expectTrue(tab);
    await takeBack(one, "refund", options);
    await expectTrue(tab);
    expect(timerOf(await getTimer(options)).totalMs).toBe(3_900_000);
    await controlTimer("pause", options);
    await untilText(tab, "state", "หยุดพักอยู่");
    await expectTrue(tab);
    await tab.context.close();
  });
});
