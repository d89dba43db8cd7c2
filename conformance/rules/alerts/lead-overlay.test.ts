import { afterEach, beforeEach, expect, test } from "vitest";
import { expectProblem } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { donate, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

// Which of several connected pages leads, and how a streamer chooses.

beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await freshQueue();
});
afterEach(() => closePages());

const overlays = async () => queueOf(await queue()).overlays;
const lead = (id: string) => send({ method: "POST", path: `/api/v1/alerts/overlays/${id}/lead` });

test("the queue lists the connected overlays, the leading one first, and no widget", async () => {
  const before = Date.now();
  const first = await follow({ client: "obs" });
  await first.next("snapshot");
  const [{ connectedAt } = { connectedAt: "" }] = await overlays();
  expect(Math.abs(Date.parse(connectedAt) - before)).toBeLessThan(60_000);
  for (const visit of [{ plays: false }, { client: "browser", active: false }] as const) await (await follow(visit)).next("snapshot");
  await expect.poll(overlays).toMatchObject([
    { client: "obs", active: true, leads: true },
    { client: "browser", active: false, leads: false },
  ]);
  first.close();
  await expect.poll(overlays).toMatchObject([{ client: "browser", active: false, leads: true }]);
});

test("between two alerts a page in OBS leads before one in a browser, and a visible one before a hidden one", async () => {
  const plain = await follow({ client: "browser" });
  expect((await plain.next("snapshot")).role).toBe("player");
  const { id } = await donate();
  const playback = await plain.next("playback");
  expect(playback.donationId).toBe(id);
  await acknowledge("started", playback.id, plain);
  const hidden = await follow({ client: "obs", active: false });
  expect((await hidden.next("snapshot")).role).toBe("standby"); // the alert plays to its end where it began
  await acknowledge("ended", playback.id, plain);
  expect(await hidden.next("role")).toEqual({ role: "player" });
  expect(await plain.next("role")).toEqual({ role: "standby" });
  const shown = await follow({ client: "obs" });
  const { role } = await shown.next("snapshot");
  if (role !== "player") expect(await shown.next("role")).toEqual({ role: "player" });
  expect(await hidden.next("role")).toEqual({ role: "standby" });
  const later = await follow({ client: "obs" });
  expect((await later.next("snapshot")).role).toBe("standby");
});

test("a chosen page leads before a page in OBS, also when it connects again; choosing it again changes nothing", async () => {
  const obs = await follow({ client: "obs" });
  await obs.next("snapshot");
  const plain = await follow();
  await plain.next("snapshot");
  await expect.poll(async () => (await overlays()).length).toBe(2);
  const chosen = (await overlays()).find(({ client }) => client === "browser")?.id ?? "";
  for (let i = 0; i < 2; i += 1) expect((await lead(chosen)).status).toBe(200);
  expect(await plain.next("role")).toEqual({ role: "player" });
  plain.close();
  expect((await obs.next("role", ({ role }) => role === "player")).role).toBe("player");
  const again = await follow({ player: plain.player });
  const { role } = await again.next("snapshot");
  if (role !== "player") expect(await again.next("role")).toEqual({ role: "player" });
  const { id } = await donate();
  expect((await show(again)).donationId).toBe(id);
});

test.each(["01932f6e-8a00-7000-8000-3f1e5a7c9b21", "nobody"])(
  "an overlay that is not connected is refused with overlay_not_found: %s",
  async (id) => {
    expectProblem(await lead(id), 404, "overlay_not_found");
  },
);
