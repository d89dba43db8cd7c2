// Which notifier this process uses: the operator chooses with NOTIFIER.

import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { gatherHints, type Notifier, noBroker, type OpenBroker } from "./notifier.ts";
import { postgresBroker } from "./postgres.ts";
import { redisBroker } from "./redis.ts";

export type NotifierParts = { config: Pick<Config, "notifier" | "redisUrl" | "brand">; databaseUrl: string; log: Logger };

/** The notifier that NOTIFIER names. It connects in the background. */
export function openNotifier(parts: NotifierParts): Notifier {
  return gatherHints(chooseBroker(parts), parts.log);
}

function chooseBroker({ config, databaseUrl, log }: NotifierParts): OpenBroker {
  const channel = `${config.brand}:overlay`;
  if (config.notifier === "postgres") return postgresBroker({ url: databaseUrl, channel, log });
  if (config.notifier === "redis" && config.redisUrl) return redisBroker({ url: config.redisUrl, channel, log });
  return noBroker;
}
