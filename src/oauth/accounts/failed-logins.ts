// Failed logins in the audit log: counted, and written as one line a minute for each streamer, so that whoever guesses passwords can't fill
// the log.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { actAs } from "../../audit/actor.ts";
import { type AuditDetails, recordAudit } from "../../audit/audit-log.ts";
import { network } from "../../http/network.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { handleKey, type LoginThrottle } from "./login-throttle.ts";

export type FailedLogins = Readonly<{
  /** The same throttle; it counts attempts as it does, and takes those back that were forgiven. */
  counting: (throttle: LoginThrottle) => LoginThrottle;
  /** Writes what was counted. */
  close: () => Promise<void>;
}>;

/** By handle: attempts by network. */
type Counts = Map<string, Map<string, number>>;
type Attempts = Readonly<{ handle: string; from: string; attempts: number }>;

const intervalMs = 60_000;
/** Handles and networks beyond are counted together, so that made-up ones cannot fill the memory. */
const maxHandles = 1_000;
const maxNetworks = 100;
const others = "(others)";
/** Networks that a line names: those with the most attempts. */
const namedNetworks = 5;

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
      attempt: (handle, address) => {
        add(current, { handle: handleKey(handle), from: network(address), attempts: 1 });
        return throttle.attempt(handle, address);
      },
      forgive: (handle, address) => {
        const [key, from] = [handleKey(handle), network(address)];
        if (!takeBack(current, key, from)) takeBack(last, key, from);
        return throttle.forgive(handle, address);
      },
    }),
    close: async () => {
      clearInterval(timer);
      await flush();
      await flush();
    },
  };
}

function add(counts: Counts, { handle, from, attempts }: Attempts): void {
  const name = counts.has(handle) || counts.size < maxHandles ? handle : others;
  const networks = counts.get(name) ?? new Map<string, number>();
  counts.set(name, networks);
  const place = networks.has(from) || networks.size < maxNetworks ? from : others;
  networks.set(place, (networks.get(place) ?? 0) + attempts);
}

function eachOf(counts: Counts): Attempts[] {
  const all = [...counts].flatMap(([handle, networks]) => [...networks].map(([from, attempts]) => ({ handle, from, attempts })));
  return all.filter(({ attempts }) => attempts > 0);
}

/** False when nothing was counted for them. */
function takeBack(counts: Counts, handle: string, from: string): boolean {
  const networks = counts.get(handle) ?? counts.get(others);
  const place = networks?.has(from) ? from : others;
  const attempts = networks?.get(place) ?? 0;
  if (attempts === 0) return false;
  networks?.set(place, attempts - 1);
  return true;
}

/**
 * Takes what it has written out of the counts. Handles that are no streamer's share a line of the operator's chain, which names none of them:
 * people type passwords there.
 */
async function write(knex: Knex, counts: Counts): Promise<void> {
  const failed = [...counts].filter(([, networks]) => sumOf(networks) > 0);
  if (failed.length === 0) return;
  const idOf = await findStreamers(
    knex,
    failed.map(([handle]) => handle),
  );
  const unknown = new Map<string, number>();
  for (const [handle, networks] of failed) {
    const streamerId = idOf.get(handle);
    if (streamerId === undefined) for (const [from, attempts] of networks) unknown.set(from, (unknown.get(from) ?? 0) + attempts);
    else {
      await writeLine(knex, streamerId, detailsOf(networks));
      counts.delete(handle);
    }
  }
  if (unknown.size > 0) await writeLine(knex, null, { ...detailsOf(unknown), handles: failed.length - idOf.size });
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

function detailsOf(networks: ReadonlyMap<string, number>): AuditDetails {
  const failing = [...networks].filter(([, attempts]) => attempts > 0).sort(([, a], [, b]) => b - a);
  return { attempts: sumOf(networks), networks: failing.length, from: failing.slice(0, namedNetworks).map(([from]) => from) };
}

function sumOf(networks: ReadonlyMap<string, number>): number {
  return [...networks.values()].reduce((sum, attempts) => sum + attempts, 0);
}
