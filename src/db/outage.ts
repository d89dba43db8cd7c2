// One line in the log when something goes away, one when it is back, however often it is tried in between.

import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";

export type Outage = { begins: (error: unknown) => void; ends: () => void };

/** `what` stands at the head of both lines. */
export function watchOutage(log: Logger, what: string): Outage {
  let out = false;
  return {
    begins: (error) => {
      if (!out) log.warn({ error: describeFailure(error) }, `${what} cannot be used; trying again for as long as it takes`);
      out = true;
    },
    ends: () => {
      if (out) log.info(`${what} is back`);
      out = false;
    },
  };
}
