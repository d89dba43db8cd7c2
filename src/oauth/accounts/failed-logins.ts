// Failed logins in the audit log: counted, and written as one line a minute for each streamer, so that guessed passwords can't fill
// the log.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { actAs } from "../../audit/actor.ts";
import { type AuditDetails, recordAudit } from "../../audit/audit-log.ts";
import { network } from "../../http/addresses.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { handleKey, type LoginThrottle } from "./check-password.ts";

export type FailedLogins = Readonly<{
  /** The same throttle; it counts attempts as it does, and takes those back that were forgiven. */
  counting: (throttle: LoginThrottle) => LoginThrottle;
  /** Writes what was counted. */
  close: () => Promise<void>;
}>;

/** Where attempts came from. `browser`: its name; null for unknown. */
type Place = Readonly<{ from: string; browser: string | null }>;
/** By handle: attempts by place. */
type Counts = Map<string, Map<string, Place & { attempts: number }>>;
type Attempts = Place & Readonly<{ handle: string; attempts: number }>;

const intervalMs = 60_000;
/** Handles and places beyond are counted together, so that made-up ones cannot fill the memory. */
const maxHandles = 1_000;
const maxPlaces = 100;
const others = "(others)";
/** Networks and browsers that a line names: those with the most attempts. */
const named = { networks: 5, browsers: 3 };

/** Two minutes are kept apart: an attempt of a minute that is being written is either forgiven already or a failure. */
export function openFailedLogins(knex: Knex, log: Logger): FailedLogins {
  let [current, last]: [Counts, Counts] = [new Map(), new Map()];
  const flush = async () => {
    const counted = last;
    [current, last] = [new Map(), current];
    await write(knex, counted).catch((error) => {
      log.warn({ error: describeFailure(error) }, "failed logins could not be recorded; they are counted on");
      for (const attempts of eachOf(counted)) add(last, attempts);
    });
  };
  const timer = setInterval(() => void flush(), intervalMs).unref();
  return {
    counting: (throttle) => ({
      attempt: async (attempt) => {
        const attempts = { handle: handleKey(attempt.handle), from: network(attempt.address), browser: attempt.browserName, attempts: 1 };
        add(current, attempts);
        const { wait, forgive } = await throttle.attempt(attempt);
        const takeBackAndForgive = () => {
          if (!takeBack(current, attempts)) takeBack(last, attempts);
          return forgive();
        };
        return { wait, forgive: takeBackAndForgive };
      },
    }),
    close: async () => {
      clearInterval(timer);
      await flush();
      await flush();
    },
  };
}

function add(counts: Counts, { handle, from, browser, attempts }: Attempts): void {
  const name = counts.has(handle) || counts.size < maxHandles ? handle : others;
  const places = counts.get(name) ?? new Map<string, Place & { attempts: number }>();
  counts.set(name, places);
  const isCounted = places.has(keyOf({ from, browser })) || places.size < maxPlaces;
  const place = isCounted ? { from, browser } : { from: others, browser: null };
  places.set(keyOf(place), { ...place, attempts: (places.get(keyOf(place))?.attempts ?? 0) + attempts });
}

function eachOf(counts: Counts): Attempts[] {
  const all = [...counts].flatMap(([handle, places]) => [...places.values()].map((place) => ({ handle, ...place })));
  return all.filter(({ attempts }) => attempts > 0);
}

/** False when nothing was counted for them. */
function takeBack(counts: Counts, { handle, from, browser }: Attempts): boolean {
  const places = counts.get(handle) ?? counts.get(others);
  const place = places?.get(keyOf({ from, browser })) ?? places?.get(keyOf({ from: others, browser: null }));
  if (!place || place.attempts === 0) return false;
  place.attempts -= 1;
  return true;
}

function keyOf({ from, browser }: Place): string {
  return `${from} ${browser ?? ""}`;
}

/**
 * Takes what it has written out of the counts. Handles that are no streamer's share a line of the operator's chain, which names none of them:
 * people type passwords there.
 */
async function write(knex: Knex, counts: Counts): Promise<void> {
  const failed = [...counts].map(([handle, places]) => ({ handle, places: [...places.values()].filter(({ attempts }) => attempts > 0) }));
  const failing = failed.filter(({ places }) => places.length > 0);
  if (failing.length === 0) return;
  const idOf = await findStreamers(
    knex,
    failing.map(({ handle }) => handle),
  );
  const unknown: (Place & { attempts: number })[] = [];
  for (const { handle, places } of failing) {
    const streamerId = idOf.get(handle);
    if (streamerId === undefined) unknown.push(...places);
    else {
      await writeLine(knex, streamerId, detailsOf(places));
      counts.delete(handle);
    }
  }
  if (unknown.length > 0) await writeLine(knex, null, { ...detailsOf(unknown), handles: failing.length - idOf.size });
  counts.clear();
}

/** The ids of streamers by their handles. */
async function findStreamers(knex: Knex, handles: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await knex.raw<{ rows: { id: string; handle: string }[] }>(
    "select streamer_id as id, handle from streamer_handles where handle = any(?)",
    [handles],
  );
  return new Map(rows.map(({ handle, id }) => [handle, id]));
}

function writeLine(knex: Knex, streamerId: string | null, details: AuditDetails): Promise<void> {
  const line = { streamerId, action: "login.failed", target: streamerId ?? undefined, outcome: "refused", details } as const;
  return actAs({ kind: "anonymous" }, () => knex.transaction((trx) => recordAudit(trx, line)));
}

function detailsOf(places: readonly (Place & { attempts: number })[]): AuditDetails {
  const networks = byMost(places, ({ from }) => from);
  const browsers = byMost(places, ({ browser }) => browser ?? "");
  return {
    attempts: places.reduce((sum, { attempts }) => sum + attempts, 0),
    networks: networks.length,
    from: networks.slice(0, named.networks),
    browsers: browsers.filter((name) => name !== "").slice(0, named.browsers),
  };
}

/** The names of places, those with the most attempts first. */
function byMost<P extends { attempts: number }>(places: readonly P[], nameOf: (place: P) => string): string[] {
  const sums = new Map<string, number>();
  for (const place of places) sums.set(nameOf(place), (sums.get(nameOf(place)) ?? 0) + place.attempts);
  return [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name);
}
