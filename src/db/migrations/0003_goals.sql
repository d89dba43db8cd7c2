-- Several goals: settings keep the first as `goal` and the others as `moreGoals`. The version before stores a goal without an id, which is `main`.
-- compatible since 0001
-- short table: goal_watches, at most one row for each streamer with a goal that is not reached yet

alter table goal_watches add column goal_id text not null default 'main';
alter table goal_watches alter column goal_id drop default;
alter table goal_watches drop constraint goal_watches_pkey;
alter table goal_watches add primary key (streamer_id, goal_id);
update goal_watches set goal = '{"id": "main"}' || goal;

-- Watches new and changed goals, and those that are gone no more.
create or replace function watch_goal() returns trigger language plpgsql as $$
declare
  goals_before jsonb[] := array(
    select '{"id": "main"}' || goal
    from jsonb_array_elements(jsonb_build_array(old.settings -> 'goal') || coalesce(old.settings -> 'moreGoals', '[]')) as goal
    where jsonb_typeof(goal) = 'object');
  goals_after jsonb[] := array(
    select '{"id": "main"}' || goal
    from jsonb_array_elements(jsonb_build_array(new.settings -> 'goal') || coalesce(new.settings -> 'moreGoals', '[]')) as goal
    where jsonb_typeof(goal) = 'object');
begin
  if goals_before = goals_after then
    return null;
  end if;
  delete from goal_watches where streamer_id = new.streamer_id and goal <> all (goals_after);
  insert into goal_watches (streamer_id, goal_id, goal)
  select new.streamer_id, goal ->> 'id', goal from unnest(goals_after) as goal where goal <> all (goals_before);
  return null;
end $$;
