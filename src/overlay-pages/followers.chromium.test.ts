// Every overlay page shows every alert: pages of several browsers, in OBS and elsewhere, on one process and on two.

import { expect, test } from "vitest";
import { entriesOf, namesOf, setUpAlerts, wholeAlert } from "../../conformance/meta/browser/alert-setup.ts";
import { journal, type OverlayTab, until } from "../../conformance/meta/browser/overlay-tab.ts";
import { change, control, donate, queue, queueOf } from "../../conformance/suite/client/overlay/alert-controls.ts";
import { startProcess } from "../../conformance/suite/servers/start-server.ts";
import { operatorOf } from "../../conformance/suite/values/target.ts";

const alerts = setUpAlerts();

/** Evaluated before the page's own scripts: what tells a page that it is open in OBS. */
const inObs = "window.obsstudio = {};";

const overlays = async () => queueOf(await queue(alerts.streamer.as)).overlays;

const untilConnected = (count: number) => until(overlays, (connected) => connected.length === count);

/** Opens a page in OBS, which leads, and one in another browser. */
async function openTwo(): Promise<[OverlayTab, OverlayTab]> {
  const obs = await alerts.open("", { script: inObs });
  const plain = await alerts.open();
  await untilConnected(2);
  expect((await overlays())[0]).toMatchObject({ client: "obs", leads: true });
  return [obs, plain];
}

const shownAt = async (tab: OverlayTab, id: string) =>
  (await entriesOf(tab, { id })).find(({ event }) => event === "started" || event === "follows")?.at ?? Number.NaN;

test("three alerts in a row are shown by two browsers at the same moment, and only the leading one is heard", async () => {
  const tabs = await openTwo();
  for (let i = 0; i < 3; i += 1) {
    const { id } = await donate({}, alerts.streamer.as);
    await alerts.untilStatus(id, "shown");
    const [leading = 0, following = 0] = await Promise.all(tabs.map((tab) => shownAt(tab, id)));
    expect(following - leading).toBeLessThan(2_000); // 300 ms where the machine does nothing else
    const [obs, plain] = await Promise.all(tabs.map((tab) => entriesOf(tab, { id })));
    expect(namesOf(obs ?? [])).toEqual(wholeAlert);
    expect(plain?.filter(({ event }) => event === "sound").every((one) => (one as { muted?: boolean }).muted)).toBe(true);
    expect(obs?.some((one) => (one as { muted?: boolean }).muted)).toBe(false);
  }
  expect(tabs.flatMap(({ complaints }) => complaints)).toEqual([]);
});

test("when the leading browser goes in the middle, the other one shows the alert to its end, and it counts as shown once", async () => {
  const [obs, plain] = await openTwo();
  const { id } = await donate({ message: "ยาว ".repeat(20) }, alerts.streamer.as);
  await until(
    () => shownAt(plain, id),
    (at) => at > 0,
  );
  await obs.context.close();
  await alerts.untilStatus(id, "shown");
  const events = (await entriesOf(plain, { id })).map(({ event }) => event);
  expect(events.filter((event) => ["shown", "ended", "finished"].includes(event))).toEqual(["shown", "ended"]);
  expect((await journal(plain)).some(({ event }) => event === "leads")).toBe(true);
});

test("a page that is opened in the middle joins the alert, and hiding everything clears all pages", async () => {
  await change({ minimumSeconds: 30, maximumSeconds: 30 }, alerts.streamer.as);
  const [obs, plain] = await openTwo();
  const { id } = await donate({}, alerts.streamer.as);
  await until(
    () => shownAt(obs, id),
    (at) => at > 0,
  );
  const late = await alerts.open();
  await until(
    () => shownAt(late, id),
    (at) => at > 0,
  );
  await control("hide", alerts.streamer.as);
  for (const tab of [obs, plain, late])
    await until(
      async () => (await entriesOf(tab, { id })).map(({ event }) => event),
      (events) => events.includes("stopped"),
    );
});

test("a source in OBS that is hidden hands the lead to one that is shown, between two alerts", async () => {
  const hides = await alerts.open("", { script: inObs });
  await untilConnected(1);
  await alerts.open("", { script: inObs });
  await untilConnected(2);
  const [first] = await overlays();
  await hides.page.evaluate(`dispatchEvent(new CustomEvent("obsSourceActiveChanged", { detail: { active: false } }))`);
  await until(overlays, ([leading, other]) => leading?.active === true && leading.id !== first?.id && other?.active === false);
});

test("a page on another process follows, and shows the next alert when the first page's browser has gone", async (context) => {
  const operator = operatorOf(context);
  const other = await startProcess(operator, "overlay-follower", { TTS: "off" });
  try {
    const obs = await alerts.open("", { script: inObs });
    await untilConnected(1);
    const there = await alerts.open("", { of: { ...alerts.streamer, url: other.url } });
    await untilConnected(2);
    const first = await donate({}, alerts.streamer.as);
    await alerts.untilStatus(first.id, "shown");
    expect(await shownAt(there, first.id)).toBeGreaterThan(0);
    await obs.context.close();
    const next = await donate({}, alerts.streamer.as);
    await alerts.untilStatus(next.id, "shown");
    expect((await entriesOf(there, next)).map(({ event }) => event)).toContain("ended");
    await there.context.close();
  } finally {
    await other.stop();
  }
});

test("eight pages of as many browsers show an alert, of which one is acknowledged", async () => {
  const tabs = await Promise.all(Array.from({ length: 8 }, () => alerts.open()));
  await untilConnected(8);
  const { id } = await donate({}, alerts.streamer.as);
  await alerts.untilStatus(id, "shown");
  const seen = await Promise.all(tabs.map(async (tab) => (await entriesOf(tab, { id })).map(({ event }) => event)));
  expect(seen.filter((events) => events.includes("shown"))).toHaveLength(8);
  expect(seen.filter((events) => events.includes("started"))).toHaveLength(1);
}, 120_000);
