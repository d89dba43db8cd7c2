// The page of all goals: their list with order and links, and the form that adds or changes one.

import type { Goal } from "../../alerts/settings/goals.ts";
import { defaultTimezone, isLocalDay } from "../../http/contract/published.ts";
import type { Fault } from "../../http/problem.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { localDay } from "../../ui/times.ts";
import { knownMembers, readTyped, toMembers, toTyped } from "../components/described-form.ts";
import { faultsByField, faultsByMember } from "../components/fields.ts";
import { backTo, noticeOf, notices } from "../notices.ts";
import { paths } from "../paths.ts";
import { changeAlertSettings, readAlertSettings } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type GoalForm, goalForm, goalsPage } from "./goals-page.ts";

/** GET /studio/goals: all goals, and the form of the one that `goal` names, or of a new one. */
export const showGoals = ({ accounts, client, now }: StudioDeps): PageHandler =>
  accounts.page(paths.goals, async ({ account, query }) => {
    const { goals } = await readAlertSettings(client, account.streamer.id);
    const goal = goals.find(({ id }) => id === query.get("goal")) ?? null;
    if (!goal && query.has("goal")) return backTo(accounts.site, paths.goals, "no-goal");
    const typed = goal ? toTyped(goalForm, goal) : { ...toTyped(goalForm, {}), from: localDay(now(), defaultTimezone) };
    const shown = { typed, faults: {}, id: goal?.id ?? "", version: goal ? versionOf(goal) : "" };
    return goalsPage({ site: accounts.site, account, notice: noticeOf(query), goals, ...shown });
  });

/** POST /studio/goals: adds a goal, or changes the one that the form names, unless it was changed elsewhere since the page was loaded. */
export const saveGoal = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.form(paths.goals, async ({ account, form }) => {
    const { site } = accounts;
    const settings = await readAlertSettings(client, account.streamer.id);
    const { goals } = settings;
    const typed = readTyped(goalForm, form);
    const [id, version] = [form.get("goal") ?? "", form.get("version") ?? ""];
    const place = goals.findIndex((goal) => goal.id === id);
    const saved = goals[place];
    const shown = { site, account, goals, typed, id: saved ? id : "", version: saved ? versionOf(saved) : "" };
    if (id !== "" && (!saved || versionOf(saved) !== version))
      return goalsPage({ ...shown, status: 409, faults: {}, notice: notices["goal-changed"] });
    const changed = { id: saved?.id ?? crypto.randomUUID().slice(0, 8), ...toMembers(goalForm, typed) } as Goal;
    const list = saved ? knownGoals(goals).with(place, changed) : [...knownGoals(goals), changed];
    const faults = await faultsByField(async () => {
      client.check("updateAlertSettings", { body: { goals: list }, faults: endsEarly(typed, saved ? place : goals.length) });
      await changeAlertSettings(client, account.streamer.id, { from: settings, to: { goals: list } });
    });
    if (!faults) return backTo(site, paths.goals, "goal-saved");
    return goalsPage({ ...shown, status: 400, faults: faultsByMember(faults) });
  });

/** The API compares days once all members are sound by themselves; the page names every fault at once. */
function endsEarly({ from, to }: GoalForm, place: number): Fault[] {
  return isLocalDay(from) && isLocalDay(to) && to < from
    ? [{ pointer: `/goals/${place}/to`, code: "out_of_range", message: "must not be before from" }]
    : [];
}

/** POST /studio/goals/move: moves a goal up or down, or deletes it. */
export const moveGoal = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.form(paths.goals, async ({ account, form }) => {
    const settings = await readAlertSettings(client, account.streamer.id);
    const { goals } = settings;
    const place = goals.findIndex(({ id }) => id === form.get("goal"));
    if (place === -1) return backTo(accounts.site, paths.goals, "no-goal");
    const to = form.get("to") ?? "";
    const changed = { goals: moved(knownGoals(goals), place, to) };
    await changeAlertSettings(client, account.streamer.id, { from: settings, to: changed });
    return backTo(accounts.site, paths.goals, to === "away" ? "goal-deleted" : "goal-moved");
  });

/** `to`: up, down or away; anything else leaves the list as it is. */
function moved(goals: Goal[], place: number, to: string): Goal[] {
  const others = goals.toSpliced(place, 1);
  const step = { up: -1, down: 1 }[to] ?? 0;
  return to === "away" ? others : others.toSpliced(Math.max(0, place + step), 0, ...goals.slice(place, place + 1));
}

/** Goals as an update may have them: without members of a later contract that was in use before. */
function knownGoals(goals: readonly Goal[]): Goal[] {
  return goals.map((goal) => {
    const { to, ...known } = knownMembers(goalForm, goal) as Omit<Goal, "id">;
    return { id: goal.id, ...known, ...(to && { to }) };
  });
}

/** Names a goal as a page shows it: another version means that it was changed meanwhile. */
function versionOf({ title, target, from, to = "" }: Goal): string {
  return JSON.stringify([title, target, from, to]);
}
