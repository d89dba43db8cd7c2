// Erasure and retention for the studio: the same as of the operation eraseDonator and of the command line.

import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Eraser } from "../../corrections/erasure/eraser.ts";
import { donatorKeysOf } from "../../corrections/erasure/handler.ts";
import { isRetentionDays, maxRetentionDays, type Retention } from "../../corrections/erasure/retention.ts";
import { openStartedErasures } from "../../corrections/erasure/started-erasures.ts";
import type { Contract } from "../../http/contract/contract.ts";
import { isId } from "../../http/contract/published.ts";
import { checkCall } from "../../http/invoke.ts";
import { Problem } from "../../http/problem.ts";
import type { Donator, Privacy } from "./privacy-deps.ts";

type PrivacyDeps = Readonly<{
  knex: Knex;
  log: Logger;
  contract: Pick<Contract, "operations">;
  eraser: Pick<Eraser, "count" | "eraseOnce">;
  retention: Retention;
}>;

const listed = 20;

export function openPrivacy({ knex, log, contract, eraser, retention }: PrivacyDeps): { privacy: Privacy; stop: () => Promise<void> } {
  const erasures = openStartedErasures({ knex, log, eraser });
  const keysOf = (donator: Donator) => donatorKeysOf(checkCall(contract, "eraseDonator", { body: donator }).body);
  return {
    privacy: {
      check: async (streamerId, donator) => eraser.count(streamerId, keysOf(donator)),
      erase: async (streamerId, donator, id) => {
        const [donatorKey] = keysOf(donator);
        if (donatorKey !== undefined && isId(id)) await erasures.start(streamerId, donatorKey, id);
      },
      find: async (streamerId, id) => (isId(id) ? erasures.find(streamerId, id) : null),
      list: (streamerId) => erasures.list(streamerId, listed),
      retention: retention.get,
      countAged: async (streamerId, days) => retention.count(streamerId, checkDays(days)),
      setRetention: async (streamerId, days) => retention.set(streamerId, days === null ? null : checkDays(days)),
      maxRetentionDays,
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
