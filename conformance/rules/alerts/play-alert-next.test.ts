import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { expectProblem } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { change, control, decide, donate, freshQueue, queue, queueOf, replay } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const order = async (): Promise<string[]> => queueOf(await queue()).waiting.map(({ donationId }) => donationId);

test("an alert that is played next comes before all others, and the one that plays goes on", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const donations = [];
  for (let i = 0; i < 6; i += 1) donations.push((await donate()).id);
  const [first, second, third, fourth, fifth, last = ""] = donations;
  await expect.poll(async () => queueOf(await queue()).playing?.donationId).toBe(first);
  const { playing, waiting } = queueOf(await decide(last, "next"));
  expect([playing?.donationId, waiting.map(({ donationId }) => donationId)]).toEqual([first, [last, second, third, fourth, fifth]]);
  const played = [];
  for (let i = 0; i < 6; i += 1) played.push((await show(page)).donationId);
  expect(played).toEqual([first, last, second, third, fourth, fifth]);
  await page.expectNothing("playback");
});

type Step = { step: "donate" | "replay" | "next" | "skip" | "connect"; which: number };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ step: fc.constantFrom("donate", "replay", "next", "skip", "connect"), which: fc.nat(20) }),
  { minLength: 4, maxLength: 16 },
);

/** The queue as it must be: those put next, the latest first; replays, the earliest first; then the others. */
type Waiting = { put: string[]; replays: string[]; others: string[] };

test("the queue plays alerts that were put next first, the latest of them at the front, then replays, then donations in the order of recording", (context) =>
  holds(
    steps,
    async (path) => {
      closePages();
      await freshQueue();
      await control("pause");
      const state: Waiting = { put: [], replays: [], others: [] };
      const ended: string[] = [];
      const all = () => [...state.put, ...state.replays, ...state.others];
      for (const { step, which } of path) {
        const one = all()[which % Math.max(1, all().length)];
        if (step === "donate") state.others.push((await donate()).id);
        else if (step === "connect") await follow({ key: overlayKeyOf(context) });
        else if (step === "replay") {
          const again = ended.shift() ?? (await donate({ skipAlert: true })).id;
          expect((await replay(again)).status).toBe(201);
          state.replays.push(again);
        } else if (one !== undefined) {
          queueOf(await decide(one, step));
          for (const part of ["put", "replays", "others"] as const) state[part] = state[part].filter((id) => id !== one);
          if (step === "next") state.put.unshift(one);
          else ended.push(one);
        }
        expect(await order()).toEqual(all());
      }
    },
    { runs: 12, concurrency: 1 },
  ));

test("putting the next alert next again changes nothing, and two that are put next at once are both before the others", async () => {
  await control("pause");
  const [one, two, three] = [await donate(), await donate(), await donate()];
  for (let i = 0; i < 2; i += 1) queueOf(await decide(three.id, "next"));
  expect(await order()).toEqual([three.id, one.id, two.id]);
  for (const reply of await Promise.all([decide(one.id, "next"), decide(two.id, "next")])) queueOf(reply);
  expect(await order()).toBeOneOf([
    [one.id, two.id, three.id],
    [two.id, one.id, three.id],
  ]);
});

test("an alert that does not wait, or that the settings keep from playing, is not put next: alert_state_conflict", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [shown, unwanted] = [await donate(), await donate({ skipAlert: true })];
  await show(page);
  const playing = await donate();
  await page.next("playback");
  await change({ approval: "all" });
  const held = await donate();
  await expect.poll(async () => queueOf(await queue()).heldCount).toBe(1);
  await change({ approval: "off" });
  for (const { id } of [shown, unwanted, playing, held]) expectProblem(await decide(id, "next"), 409, "alert_state_conflict");
  closePages();
  const [low, skipped] = [await donate({ amount: 1 }), await donate()];
  await decide(skipped.id, "skip");
  await change({ minimumAmount: 2 });
  for (const { id } of [low, skipped]) expectProblem(await decide(id, "next"), 409, "alert_state_conflict");
});
