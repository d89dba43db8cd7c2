// Work that is done again and again, with a rest in between.

import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";

export type Rounds = {
  /** Resolves when the round under way is done. */
  stop: () => Promise<void>;
};

export type RoundsParts = { restMs: number; log: Logger /** What to log when a round fails. */; complaint: string };

/** Works in rounds; a round that answers true is followed by the next one without rest. */
export function startRounds({ restMs, log, complaint }: RoundsParts, round: () => Promise<unknown>): Rounds {
  let stopped = false;
  let wake = () => {};
  const rest = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, restMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async () => {
    let more = false;
    while (!stopped) {
      if (!more) await rest();
      if (stopped) return;
      more = await round().then(
        (answer) => answer === true,
        (error) => {
          log.warn({ error: describeFailure(error) }, complaint);
          return false;
        },
      );
    }
  };
  const running = run();
  return {
    stop: () => {
      stopped = true;
      wake();
      return running;
    },
  };
}
