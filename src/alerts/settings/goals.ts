// A streamer's goals: as they are stored, changed and answered. Pure.

import type { Schemas } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";

export type Goal = Schemas["NamedGoal"];
type GoalSettings = Pick<Schemas["AlertSettings"], "goal" | "goals">;
type GoalChange = Partial<GoalSettings>;

/** The first goal stands apart from the others: programs of the version before know no others, and store it without an id. */
export type StoredGoals = Readonly<{ goal?: Schemas["Goal"] | Goal | null; moreGoals?: readonly Goal[] }>;

/** The defaults of members that the contract has gained since goals were first stored: one that is missing here does not compile. */
const defaultGoal: Omit<Goal, "title" | "target" | "from" | "to"> = Object.freeze({ id: "main" });

/** Completes a goal as it is stored, in settings or in an event. */
export function completeGoal<Stored extends object>(stored: Stored): typeof defaultGoal & Stored {
  return { ...defaultGoal, ...stored };
}

/** Completes stored goals. */
export function readGoals({ goal, moreGoals = [] }: StoredGoals): GoalSettings {
  return withFirst([...(goal ? [goal] : []), ...moreGoals].map(completeGoal));
}

/** The goals as they are stored; without a goal nothing is. */
export function storeGoals([goal, ...moreGoals]: readonly Goal[]): StoredGoals {
  return { ...(goal && { goal }), ...(moreGoals.length > 0 && { moreGoals }) };
}

/** Replaces the goals, or the first of them, which keeps its id. Where a request has both, `goals` counts. */
export function changeGoals({ goals: [first, ...others] }: GoalSettings, change: GoalChange): GoalSettings | null {
  if (change.goals) return withFirst(change.goals);
  if (change.goal === undefined) return null;
  return withFirst(change.goal ? [{ ...defaultGoal, ...(first && { id: first.id }), ...change.goal }, ...others] : others);
}

/** What the contract cannot say of the goals of a request. */
export function goalFaults({ goal, goals = [] }: GoalChange): Fault[] {
  const ids = goals.map(({ id }) => id);
  return [
    ...(goal ? daysFaults(goal, "/goal") : []),
    ...goals.flatMap((one, i) => [...daysFaults(one, `/goals/${i}`), ...(ids.indexOf(one.id) < i ? [repeatedId(i)] : [])]),
  ];
}

function withFirst(goals: Goal[]): GoalSettings {
  const [first] = goals;
  if (!first) return { goal: null, goals };
  const { id: _, ...goal } = first;
  return { goal, goals };
}

function daysFaults({ from, to }: Schemas["Goal"], pointer: string): Fault[] {
  return to === undefined || to >= from ? [] : [{ pointer: `${pointer}/to`, message: "must not be before from", code: "out_of_range" }];
}

function repeatedId(index: number): Fault {
  return { pointer: `/goals/${index}/id`, message: "must not be the id of a goal before it", code: "not_unique" };
}
