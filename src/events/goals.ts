// Finds goals that were reached, and records goal.reached in the streamers' logs. The statement that records a donation does nothing for goals:
// a task sums up the goals that are not reached yet soon after a donation was recorded.

import type { Knex } from "knex";
import type { Goal } from "../alerts/settings/goals.ts";
import { forEachInTurn } from "../base/async.ts";
import { recordEvents } from "./log.ts";

/** Sums up the donations that count towards each of a streamer's goals. */
type SumGoals = (streamerId: string, goals: readonly Goal[]) => Promise<number[]>;

type Watched = { streamer_id: string; goals: Goal[]; last_sequence: number };

/** Streamers whose goals one run sums up. */
const batchSize = 100;

/** Records goal.reached, once for each goal, where its target is reached. Resolves to the streamers, and whether there may be more. Throws when it fails for one, after the others. */
export async function settleGoals(knex: Knex, sumGoals: SumGoals): Promise<{ reached: string[]; hasMore: boolean }> {
  const { rows } = await knex.raw<{ rows: Watched[] }>(
    `select w.streamer_id, jsonb_agg(w.goal) as goals, s.last_sequence from goal_watches w join streamers s on s.id = w.streamer_id
     where s.last_sequence > w.checked_sequence group by w.streamer_id, s.last_sequence limit ${batchSize}`,
  );
  const reached: string[] = [];
  await forEachInTurn(rows, async (watched) => {
    const sums = await sumGoals(watched.streamer_id, watched.goals); // include at least the donations up to last_sequence
    const currentById = new Map(watched.goals.map((goal, i) => [goal.id, sums[i] as number]));
    const isMet = ({ id, target }: Goal) => (currentById.get(id) as number) >= target;
    await noteChecked(knex, { ...watched, goals: watched.goals.filter((goal) => !isMet(goal)) });
    const isAnyReached = await recordReached(knex, { ...watched, goals: watched.goals.filter(isMet) }, currentById);
    if (isAnyReached) reached.push(watched.streamer_id);
  });
  return { reached, hasMore: rows.length === batchSize };
}

async function noteChecked(knex: Knex, { streamer_id, goals, last_sequence }: Watched): Promise<void> {
  await knex.raw(`update goal_watches set checked_sequence = ? where ${ofGoals} and checked_sequence < ?`, [
    ...[last_sequence, streamer_id, JSON.stringify(goals), last_sequence],
  ]);
}

/** Of several processes one deletes a watch, and so records the event. False: others did, or the goals were changed. */
function recordReached(
  knex: Knex,
  { streamer_id: streamerId, goals }: Watched,
  currentById: ReadonlyMap<string, number>,
): Promise<boolean> {
  return knex.transaction(async (transaction) => {
    const { rows } = await transaction.raw<{ rows: { goal: Goal }[] }>(`delete from goal_watches where ${ofGoals} returning goal`, [
      ...[streamerId, JSON.stringify(goals)],
    ]);
    const events = rows.map(({ goal }) => ({ donationId: null, at: null, details: { ...goal, current: currentById.get(goal.id) } }));
    if (events.length > 0) await recordEvents(transaction, { streamerId, type: "goal.reached" }, events);
    return events.length > 0;
  });
}

/** These goals of the streamer, as they are watched now. */
const ofGoals = "streamer_id = ? and goal in (select jsonb_array_elements(?::jsonb))";
