import { expect, test } from "vitest";
import { connectPage } from "../testing.ts";
import { connect, donate, startHub, usePlayerScenario } from "../testing-players.ts";
import { chooseLeader } from "./connected-pages.ts";
import { readQueue } from "./read-queue.ts";

// One page leads, and the others show what it plays.

const scenario = usePlayerScenario();

const overlays = async () => (await readQueue(scenario.fixture.knex, scenario.streamerId)).overlays;

/** A page that leads and one that follows, with an alert that the leading page has started. */
async function startFollowed() {
  await startHub(scenario);
  const leader = await connect(scenario, { player: "leader" });
  await leader.nextOf("snapshot");
  const follower = await connect(scenario, { player: "follower" });
  expect(await follower.nextOf("snapshot")).toMatchObject({ role: "standby", playback: null });
  await donate(scenario);
  const { id } = await leader.nextOf("playback");
  expect(await follower.nextOf("playback")).toMatchObject({ id, elapsedMs: null });
  await leader.started(id);
  expect((await follower.nextOf("playback")).elapsedMs).toBeGreaterThanOrEqual(0);
  return { leader, follower, id };
}

test("a page on standby is told of a playback, of its start and of its end, and what it acknowledges is refused", async () => {
  const { leader, follower, id } = await startFollowed();
  expect(await follower.started(id)).toBe("conflict");
  expect(await follower.ended(id)).toBe("conflict");
  await leader.ended(id);
  expect(await follower.nextOf("stop")).toEqual({ playbackId: id });
});

test("a page that connects in the middle is told how long the alert has been playing", async () => {
  const { id } = await startFollowed();
  await scenario.fixture.age(scenario.streamerId, 3_000);
  const late = await connect(scenario, { player: "late" });
  const { role, playback } = await late.nextOf("snapshot");
  expect([role, playback?.id]).toEqual(["standby", id]);
  expect(playback?.elapsedMs).toBeGreaterThanOrEqual(3_000);
});

test("a follower takes over at once when the leading page goes, and is not told to play again", async () => {
  const { leader, follower, id } = await startFollowed();
  leader.disconnect();
  expect(await follower.nextOf("role")).toEqual({ role: "player" });
  expect(await leader.ended(id)).toBe("conflict");
  expect(await follower.ended(id)).toEqual({ status: "shown", changed: true });
  expect(follower.events.filter(({ event }) => event === "playback")).toHaveLength(2);
});

test("a leading page that comes back after a follower has taken over follows, and shows the alert on", async () => {
  const { leader, follower, id } = await startFollowed();
  leader.disconnect();
  await follower.nextOf("role");
  const back = await connect(scenario, { player: "leader", playing: id });
  expect(await back.nextOf("snapshot")).toMatchObject({ role: "standby", playback: { id, elapsedMs: expect.any(Number) } });
});

test("an alert whose leading page goes before its start is played from the beginning by another page", async () => {
  await startHub(scenario);
  const [leader, follower] = [await connect(scenario, { player: "leader" }), await connect(scenario, { player: "follower" })];
  await donate(scenario);
  const { id } = await leader.nextOf("playback");
  leader.disconnect();
  expect(await follower.nextOf("role")).toEqual({ role: "player" });
  expect((await follower.nextOf("playback")).elapsedMs).toBeNull();
  expect(await follower.started(id)).toMatchObject({ status: "playing" });
});

test("a page in OBS takes the lead between two alerts, and a hidden one gives it back", async () => {
  const { leader, id } = await startFollowed();
  const obs = await connect(scenario, { player: "obs", isInObs: true });
  expect((await obs.nextOf("snapshot")).role).toBe("standby");
  await leader.ended(id);
  expect(await obs.nextOf("role")).toEqual({ role: "player" });
  expect(await leader.nextOf("role")).toEqual({ role: "standby" });
  const other = await connect(scenario, { player: "other", isInObs: true });
  await other.nextOf("snapshot");
  const hidden = await connect(scenario, { player: "obs", isInObs: true, isActive: false });
  expect((await hidden.nextOf("snapshot")).role).toBe("standby");
  expect(await other.nextOf("role")).toEqual({ role: "player" });
});

test("the queue lists the connected pages, the leading one first, and a chosen page leads from the next alert on", async () => {
  const { leader, follower, id } = await startFollowed();
  expect(await overlays()).toMatchObject([
    { client: "browser", active: true, leads: true },
    { client: "browser", active: true, leads: false },
  ]);
  const chosen = (await overlays())[1]?.id ?? "";
  expect(await chooseLeader(scenario.fixture.knex, scenario.streamerId, chosen)).toBe(true);
  expect((await overlays())[0]?.id).not.toBe(chosen);
  await leader.ended(id);
  expect(await follower.nextOf("role")).toEqual({ role: "player" });
  expect((await overlays())[0]?.id).toBe(chosen);
  leader.disconnect();
  await expect.poll(async () => (await overlays()).length).toBe(1);
  expect(await chooseLeader(scenario.fixture.knex, await scenario.fixture.newStreamer(), chosen)).toBe(false);
});

test("pages of a process that was killed are listed no more after 45 s", async () => {
  await startFollowed();
  await scenario.fixture.knex("overlay_pages").update({ valid_until: scenario.fixture.knex.raw("now() - interval '1 second'") });
  expect(await overlays()).toEqual([]);
});

test("exactly one of the pages that connect to two processes at the same moment leads", async () => {
  const hubs = [scenario.fixture.newHub(), scenario.fixture.newHub()];
  for (let round = 0; round < 10; round += 1) {
    const streamerId = await scenario.fixture.newStreamer();
    await scenario.fixture.donate(streamerId);
    const pages = await Promise.all(
      hubs.flatMap((hub, index) =>
        [0, 1].map((n) => connectPage({ knex: scenario.fixture.knex, hub, streamerId, player: `p${index}${n}` })),
      ),
    );
    const snapshots = await Promise.all(pages.map((page) => page.nextOf("snapshot")));
    expect(snapshots.map(({ role }) => role).sort()).toEqual(["player", "standby", "standby", "standby"]);
    const leading = pages[snapshots.findIndex(({ role }) => role === "player")];
    const { id } = snapshots.find(({ role, playback }) => role === "player" && playback)?.playback ?? {};
    const answers = await Promise.all(pages.map((page) => page.started(id ?? "")));
    expect(answers.map((answer) => answer === "conflict")).toEqual(pages.map((page) => page !== leading));
  }
});
