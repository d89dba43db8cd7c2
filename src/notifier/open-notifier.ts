// Opens the notifier that the operator has chosen with NOTIFIER.

import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { batchHints } from "./batching-notifier.ts";
import { type Notifier, noBroker, type OpenBroker } from "./notifier.ts";
import { postgresBroker } from "./postgres.ts";
import { redisBroker } from "./redis.ts";

export type NotifierDeps = { config: Pick<Config, "notifier" | "redisUrl" | "brand">; databaseUrl: string; log: Logger };

/** Connects to its broker in the background. */
export function openNotifier(deps: NotifierDeps): Notifier {
  return batchHints(chooseBroker(deps), deps.log);
}

function chooseBroker({ config, databaseUrl, log }: NotifierDeps): OpenBroker {
  const channel = `${config.brand}:overlay`;
  if (config.notifier === "postgres") return postgresBroker({ url: databaseUrl, channel, log });
  if (config.notifier === "redis" && config.redisUrl) return redisBroker({ url: config.redisUrl, channel, log });
  return noBroker;
}
