// Failed logins in the audit log: counted, and written as one line a minute for each streamer, so that whoever guesses passwords can't fill
// the log.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { actAs } from "../../audit/actor.ts";
import { type AuditDetails, recordAudit } from "../../audit/audit-log.ts";
import { network } from "../../http/network.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import type { LoginThrottle } from "./login-throttle.ts";

export type FailedLogins = Readonly<{
  /** The same throttle; it counts attempts as it does, and takes those back that were forgiven. */
  counting: (throttle: LoginThrottle) => LoginThrottle;
  /** Writes what was counted. */
  close: () => Promise<void>;
}>;

/** By handle: attempts by network. */
type Counts = Map<string, Map<string, number>>;

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
    await write(knex, counted).catch((error) => log.warn({ error: describeFailure(error) }, "failed logins could not be recorded"));
  };
  const timer = setInterval(() => void flush(), intervalMs).unref();
  return {
    counting: (throttle) => ({
      attempt: (handle, address) => {
        count(current, handle, network(address));
        return throttle.attempt(handle, address);
      },
      forgive: (handle, address) => {
        if (!takeBack(current, handle, network(address))) takeBack(last, handle, network(address));
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

function count(counts: Counts, handle: string, from: string): void {
  const name = counts.has(handle) || counts.size < maxHandles ? handle : others;
  const networks = counts.get(name) ?? new Map<string, number>();
  counts.set(name, networks);
  const place = networks.has(from) || networks.size < maxNetworks ? from : others;
  networks.set(place, (networks.get(place) ?? 0) + 1);
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

/** Handles that are no streamer's share a line of the operator's chain, which names none of them: people type passwords there. */
async function write(knex: Knex, counts: Counts): Promise<void> {
  const failed = [...counts].filter(([, networks]) => sumOf(networks) > 0);
  if (failed.length === 0) return;
  const handles = failed.map(([handle]) => handle);
  const { rows } = await knex.raw<{ rows: { id: string; handle: string }[] }>(
    "select streamer_id as id, handle from streamer_handles where handle = any(?)",
    [handles] as never,
  );
  const idOf = new Map(rows.map(({ handle, id }) => [handle, id]));
  const unknown = new Map<string, number>();
  for (const [handle, networks] of failed) {
    const streamerId = idOf.get(handle);
    if (streamerId !== undefined) await writeLine(knex, streamerId, detailsOf(networks));
    else for (const [from, attempts] of networks) unknown.set(from, (unknown.get(from) ?? 0) + attempts);
  }
  if (unknown.size > 0) await writeLine(knex, null, { ...detailsOf(unknown), handles: failed.length - idOf.size });
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
