// Finds goals that were reached, and records goal.reached in the streamers' logs. The statement that records a donation does nothing for goals:
// a task sums up the goals that are not reached yet soon after a donation was recorded.

import type { Knex } from "knex";
import { forEachInTurn } from "../base/async.ts";
import type { Schemas } from "../http/operations.ts";
import { recordEvents } from "./log.ts";

type Goal = Schemas["Goal"];

/** Sums up the donations that count towards a goal. */
type SumGoal = (streamerId: string, goal: Goal) => Promise<number>;

type Watched = { streamer_id: string; goal: Goal; last_sequence: number };

/** Goals that one run sums up. */
const batchSize = 100;

/** Records goal.reached, once for each goal, where its target is reached. Resolves to the streamers, and whether there may be more. Throws when it fails for one, after the others. */
export async function settleGoals(knex: Knex, sumGoal: SumGoal): Promise<{ reached: string[]; hasMore: boolean }> {
  const { rows } = await knex.raw<{ rows: Watched[] }>(
    `select w.streamer_id, w.goal, s.last_sequence from goal_watches w join streamers s on s.id = w.streamer_id
     where s.last_sequence > w.checked_sequence limit ${batchSize}`,
  );
  const reached: string[] = [];
  await forEachInTurn(rows, async (watched) => {
    const current = await sumGoal(watched.streamer_id, watched.goal); // includes at least the donations up to last_sequence
    if (current < watched.goal.target) await noteChecked(knex, watched);
    else if (await recordReached(knex, watched, current)) reached.push(watched.streamer_id);
  });
  return { reached, hasMore: rows.length === batchSize };
}

async function noteChecked(knex: Knex, { streamer_id, goal, last_sequence }: Watched): Promise<void> {
  await knex.raw("update goal_watches set checked_sequence = ? where streamer_id = ? and goal = ?::jsonb and checked_sequence < ?", [
    last_sequence,
    streamer_id,
    JSON.stringify(goal),
    last_sequence,
  ]);
}

/** Of several processes one deletes the watch, and so records the event. False: another did, or the goal was changed. */
function recordReached(knex: Knex, { streamer_id: streamerId, goal }: Watched, current: number): Promise<boolean> {
  return knex.transaction(async (transaction) => {
    const watched = await transaction("goal_watches")
      .where({ streamer_id: streamerId })
      .whereRaw("goal = ?::jsonb", [JSON.stringify(goal)])
      .delete();
    if (watched === 0) return false;
    await recordEvents(transaction, { streamerId, type: "goal.reached" }, [{ donationId: null, at: null, details: { ...goal, current } }]);
    return true;
  });
}
