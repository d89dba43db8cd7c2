// Decides what follows an attempt: the next one, or the end of the endpoint. Pure.

import type { DeliveryStatus } from "../deliveries.ts";
import type { DisabledReason } from "../endpoints.ts";
import type { Outcome } from "../request/send.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Waits before the second attempt and those after it, as Standard Webhooks suggests them. */
const retryDelaysMs = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];

/** Deliveries that failed together are not repeated together: each wait is up to a tenth shorter or longer. */
const jitter = 0.1;
const failingMs = 5 * 24 * hour;
const gone = 410;

/** Times are milliseconds since 1970. */
export type Verdict = Readonly<{ status: DeliveryStatus; failures: number; nextAttemptAt: number | null }>;

/** What becomes of a delivery with this many failures before. `random`: from 0 to 1. */
export function verdictOf({ attempt, retryAfterMs }: Outcome, { failures, random }: { failures: number; random: number }): Verdict {
  if (attempt.error === null) return { status: "succeeded", failures, nextAttemptAt: null };
  const delay = attempt.status === gone ? undefined : retryDelaysMs[failures];
  if (delay === undefined) return { status: "failed", failures: failures + 1, nextAttemptAt: null };
  const wait = Math.max(delay * (1 + jitter * (2 * random - 1)), retryAfterMs ?? 0);
  return { status: "retrying", failures: failures + 1, nextAttemptAt: attempt.at + attempt.ms + Math.round(wait) };
}

/** What attempts say about their endpoint, in the order in which they were made. */
export type Health = Readonly<{
  /** `kept`: no attempt succeeded, so it has failed since before or since `failedAt`. `reset`: it has failed since `failedAt`, or works. */
  failing: "kept" | "reset";
  /** The first failure after the last success; null when there is none. */
  failedAt: number | null;
  /** Until when the endpoint asked to be left alone. */
  pausedUntil: number | null;
  disabledReason: DisabledReason | null;
}>;

/** `failingSince`: of the endpoint before these attempts. */
export function healthOf(outcomes: readonly Outcome[], failingSince: number | null): Health {
  const lastSuccess = outcomes.findLastIndex(({ attempt }) => attempt.error === null);
  const failures = outcomes.slice(lastSuccess + 1);
  const failedAt = failures[0]?.attempt.at ?? null;
  const since = lastSuccess === -1 ? (failingSince ?? failedAt) : failedAt;
  const last = failures.at(-1)?.attempt.at;
  const isGone = outcomes.some(({ attempt }) => attempt.status === gone);
  const isDead = since !== null && last !== undefined && last - since >= failingMs;
  const waits = outcomes.flatMap(({ attempt, retryAfterMs }) => (retryAfterMs === null ? [] : [attempt.at + attempt.ms + retryAfterMs]));
  return {
    failing: lastSuccess === -1 ? "kept" : "reset",
    failedAt,
    pausedUntil: waits.length > 0 ? Math.max(...waits) : null,
    disabledReason: isGone ? "gone" : isDead ? "failing" : null,
  };
}
