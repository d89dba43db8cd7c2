// Erasure and retention for the studio: the same as of the operation eraseDonator and of the command line.

import type { Logger } from "pino";
import { donatorKeysOf, openStartedErasures } from "../../corrections/erase-donator.ts";
import type { Erasures } from "../../corrections/open-erasures.ts";
import { isRetentionDays, maxRetentionDays } from "../../corrections/retention.ts";
import type { Contract } from "../../http/contract/contract.ts";
import { isId } from "../../http/contract/published.ts";
import { checkCall } from "../../http/invoke.ts";
import type { Schemas } from "../../http/operations.ts";
import { Problem } from "../../http/problem.ts";

/** Erasure and retention of the streamer's donations. */
export type Privacy = ReturnType<typeof openPrivacy>["privacy"];

const listed = 20;

export function openPrivacy({ knex, eraser, retention }: Erasures, contract: Contract, log: Logger) {
  const erasures = openStartedErasures({ knex, eraseOnce: eraser.eraseOnce }, log);
  const keysOf = (donator: Schemas["DonatorErasure"]) => donatorKeysOf(checkCall(contract, "eraseDonator", { body: donator }).body);
  return {
    privacy: {
      /** What an erasure would erase now. Throws validation_failed, as `erase` does. */
      check: async (streamerId: string, donator: Schemas["DonatorErasure"]) => eraser.count(streamerId, keysOf(donator)),
      /**
       * Erases a donator, once for an id. Resolves when that is finished, or while it goes on after some seconds. Throws unavailable when the
       * donations are locked; what is left of an erasure that has begun is erased later all the same.
       */
      erase: async (streamerId: string, donator: Schemas["DonatorErasure"], id: string) => {
        const [donatorKey] = keysOf(donator);
        if (donatorKey !== undefined && isId(id)) await erasures.start(streamerId, donatorKey, id);
      },
      /** Ids may have any form: of what is not one there is no erasure. */
      find: async (streamerId: string, id: string) => (isId(id) ? erasures.find(streamerId, id) : null),
      /** The latest, newest first. */
      list: (streamerId: string) => erasures.list(streamerId, listed),
      /** For how many days donations keep what their donators wrote; null: for ever. */
      retention: retention.get,
      /** How many donations would be erased now with this setting. Throws validation_failed, as `setRetention` does. */
      countAged: async (streamerId: string, days: number) => retention.count(streamerId, checkDays(days)),
      setRetention: async (streamerId: string, days: number | null) => retention.set(streamerId, days === null ? null : checkDays(days)),
    },
    stop: erasures.stop,
  };
}

function checkDays(days: number): number {
  if (isRetentionDays(days)) return days;
  const message = `must be a whole number from 1 to ${maxRetentionDays}`;
  throw new Problem("validation_failed", "The days are out of range.", {
    errors: [{ pointer: "/days", code: "out_of_range", message }],
  });
}
