import { expect, test } from "vitest";
import { type Decision, decide, settleHeld } from "../../alerts/queue/approval.ts";
import { saveSettings } from "../../alerts/queue/controls.ts";
import { replay } from "../../alerts/queue/intake.ts";
import { useOverlayFixture } from "../../alerts/testing.ts";
import { type Actor, actAs } from "../../audit/actor.ts";
import { verifyChains } from "../../audit/chains.ts";
import { auditLines, tamper } from "../../audit/testing.ts";
import { apiKeyStore, ensureApplication } from "../../auth/api-keys.ts";
import { findStory } from "./find-story.ts";

const fixture = useOverlayFixture();

const sweep = () => settleHeld(fixture.stepDeps, () => {});
const decideOn = ({ streamerId, id }: Held, decision: Decision, by: Actor) =>
  actAs(by, () => decide(fixture.stepDeps, decision, { streamerId, donationId: id }));
const timeOut = ({ streamerId }: Held) =>
  fixture.knex.raw(
    "update held_alerts set held_at = held_at - interval '1 h', decide_at = decide_at - interval '1 h' where streamer_id = ?",
    [streamerId],
  );

type Held = { streamerId: string; id: string };

/** An alert that was held for at most 45 seconds. */
async function hold(settings: Parameters<typeof saveSettings>[2] = {}): Promise<Held> {
  const streamerId = await fixture.newStreamer();
  await saveSettings(fixture.knex, streamerId, { approval: "all", approvalSeconds: 45, ...settings });
  const id = await fixture.donate(streamerId);
  await sweep();
  return { streamerId, id };
}

/** Who decided, by the steps that have it. */
async function decisionsOf({ streamerId, id }: Held) {
  const steps = await findStory(fixture.knex, streamerId, id);
  return steps.flatMap(({ type, decidedBy }) => (decidedBy ? [[type, decidedBy]] : []));
}

async function keyOf(streamerId: string, name: string): Promise<Actor> {
  await apiKeyStore(fixture.knex, "namjai").create({ streamerId, application: "bot", name, scopes: ["moderate:alerts"] });
  const { id } = await fixture.knex("api_keys").where({ streamer_id: streamerId, name }).first("id");
  return { kind: "api_key", id };
}

test("an approval tells whether the streamer, a key or an application approved", async () => {
  const one = await hold();
  await decideOn(one, "approve", { kind: "session", id: one.streamerId });
  expect(await decisionsOf(one)).toEqual([["alert.approved", { is: "streamer" }]]);

  const other = await hold();
  await decideOn(other, "mask", await keyOf(other.streamerId, "Mods"));
  expect(await decisionsOf(other)).toEqual([["alert.approved", { is: "key", name: "Mods" }]]);

  const third = await hold();
  const application = await ensureApplication(fixture.knex, third.streamerId, "Lamp");
  await decideOn(third, "approve", { kind: "access_token", id: "jti", application });
  expect(await decisionsOf(third)).toEqual([["alert.approved", { is: "application", name: "Lamp" }]]);
});

test("denials of an alert and of its replay each tell who made them", async () => {
  const one = await hold();
  await decideOn(one, "deny", await keyOf(one.streamerId, "Mods"));
  await replay(fixture.stepDeps, one.streamerId, one.id);
  await decideOn(one, "deny", { kind: "session", id: one.streamerId });
  expect(await decisionsOf(one)).toEqual([
    ["alert.denied", { is: "key", name: "Mods" }],
    ["alert.denied", { is: "streamer" }],
  ]);
});

test("an approval and a denial after it each tell who made them", async () => {
  const one = await hold();
  await decideOn(one, "approve", { kind: "session", id: one.streamerId });
  await decideOn(one, "deny", await keyOf(one.streamerId, "Mods"));
  expect(await decisionsOf(one)).toEqual([
    ["alert.approved", { is: "streamer" }],
    ["alert.denied", { is: "key", name: "Mods" }],
  ]);
});

test.each([
  ["show", "alert.approved"],
  ["mask", "alert.approved"],
  ["drop", "alert.skipped"],
] as const)(
  "a time-out that is set to %s is told from a person's decision, with its seconds, in the name of the server",
  async (onTimeout, type) => {
    const one = await hold({ onTimeout });
    await timeOut(one);
    await sweep();
    expect(await decisionsOf(one)).toEqual([[type, { is: "nobody", seconds: 45 }]]);
    expect((await auditLines(fixture.knex, one.streamerId)).at(-1)).toMatchObject({
      ...{ action: "alert.timed_out", target: one.id, actor: { kind: "server" }, details: { decision: onTimeout, seconds: 45 } },
    });
  },
);

test("a time-out that a decision finds due is the server's, and the decision that came too late leaves no line", async () => {
  const one = await hold({ onTimeout: "show" });
  await timeOut(one);
  expect(await decideOn(one, "approve", { kind: "session", id: one.streamerId })).toBe("conflict");
  expect(await decisionsOf(one)).toEqual([["alert.approved", { is: "nobody", seconds: 45 }]]);
  const lines = (await auditLines(fixture.knex, one.streamerId)).map(({ action, actor }) => [action, actor.kind]);
  expect(lines.at(-1)).toEqual(["alert.timed_out", "server"]);
});

test("alerts whose time-out comes at once have a line each, in the order of the queue, and the chain stays whole", async () => {
  const one = await hold({ onTimeout: "show" });
  const ids = [one.id, await fixture.donate(one.streamerId), await fixture.donate(one.streamerId)];
  await sweep();
  await timeOut(one);
  await sweep();
  const lines = (await auditLines(fixture.knex, one.streamerId)).filter(({ action }) => action === "alert.timed_out");
  expect(lines.map(({ target }) => target)).toEqual(ids);
  expect((await verifyChains(fixture.knex)).broken).toEqual([]);
});

test("a decision that was not noted, or in the name of another streamer's key, is told without a name", async () => {
  const [one, other] = [await hold({ onTimeout: "show" }), await hold()];
  await decideOn(one, "approve", await keyOf(other.streamerId, "Foreign"));
  expect(await decisionsOf(one)).toEqual([]);
  await decideOn(other, "approve", { kind: "session", id: other.streamerId });
  await tamper(fixture.knex, `delete from audit_log where chain = '${other.streamerId}'`);
  const steps = await findStory(fixture.knex, other.streamerId, other.id);
  expect(steps.map(({ type, decidedBy }) => [type, decidedBy])).toEqual([
    ["alert.held", null],
    ["alert.approved", null],
  ]);
});

test("another streamer's donation has no story", async () => {
  const one = await hold();
  expect(await findStory(fixture.knex, await fixture.newStreamer(), one.id)).toEqual([]);
});
