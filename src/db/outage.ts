// Logs one line when a dependency becomes unavailable and one when it is available again, however often it is tried in between.

import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";

export type Outage = { begins: (error: unknown) => void; ends: () => void };

/** `what` begins both log lines. */
export function watchOutage(log: Logger, what: string): Outage {
  let isOut = false;
  return {
    begins: (error) => {
      if (!isOut) log.warn({ error: describeFailure(error) }, `${what} cannot be used; trying again until it can`);
      isOut = true;
    },
    ends: () => {
      if (isOut) log.info(`${what} is back`);
      isOut = false;
    },
  };
}
