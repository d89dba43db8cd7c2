// Every request and every rule has an end, and a message that names it.

/** `request`: seconds without a byte of the answer after which a request has failed. `rule`: seconds that a rule may take. */
export type TimeLimits = { request: number; rule: number };

/** A rule that needs more on a busy machine says so: `test(title, { timeout }, …)`. */
export const timeLimits: TimeLimits = { request: 60, rule: 120 };

/** Seconds that the preparation of a file's rules may take: it starts servers, and each start has a limit of its own below this one. */
export const preparationLimit = 300;

/** How long `expect.poll` waits for a state, in milliseconds: a rule about time says its own limit. */
export const stateLimitMs = 30_000;

export const ruleTookTooLong = (seconds: number): string => `the rule took longer than its limit of ${seconds} s`;

/** Replaces vitest's message, which is for programmers of tests. */
export const explainTimeout = (message: string): string =>
  message
    .replace(/^Test timed out in (\d+)ms.*$/s, (_, ms) => ruleTookTooLong(Number(ms) / 1000))
    .replace(
      /^Hook timed out in (\d+)ms.*$/s,
      (_, ms) => `the preparation of these rules took longer than its limit of ${Number(ms) / 1000} s`,
    );
