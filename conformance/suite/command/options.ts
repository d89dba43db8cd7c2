// Reads the options of the conformance command.

import { parseArgs } from "node:util";
import { hasSources } from "../contract/sources.ts";
import { depths } from "../values/sample.ts";
import { readSeed } from "../values/seed.ts";
import { readOAuthCredentials } from "./oauth-credentials.ts";
import {
  parseChoice,
  parseCount,
  parseLengthUnit,
  parseOnly,
  parsePositive,
  parseSeconds,
  parseShardOption,
  parseUrl,
  toUsageError,
} from "./option-values.ts";
import { repeatedOptions } from "./repeated-options.ts";
import { profiles, type Settings } from "./settings.ts";
import { stateFolder } from "./state-folder.ts";
import { UsageError } from "./usage-error.ts";

/** Reads the settings from the command line; `API_URL`, `SEED`, `DEPTH` and `IMPLEMENTATION` of the environment replace missing options. */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const options = parseOptions(args);
  const { seed, path } = toUsageError(() => readSeed(options.seed ?? env.SEED));
  const depth = parseChoice("--depth", depths, options.depth ?? (env.DEPTH || "full"));
  const profile = parseChoice("--profile", profiles, options.profile ?? "contract");
  const settings: Settings = {
    url: toUsageError(() => parseUrl(options.url ?? env.API_URL)),
    profile,
    depth,
    lengthUnit: parseLengthUnit(profile, options["length-unit"]),
    seed,
    path,
    report: options.report ?? "conformance-report",
    implementation: (options.implementation ?? env.IMPLEMENTATION) || null,
    har: options.har ?? false,
    shard: options.shard === undefined ? null : parseShardOption(options.shard),
    seconds: depth === "quick" ? parseSeconds(options.seconds, options.seed ?? env.SEED) : null,
    harMegabytes: parsePositive("--har-megabytes", options["har-megabytes"], 100),
    only: parseOnly(options.only),
    changedSince: options["changed-since"] || null,
    operations: null,
    minutes: parsePositive("--minutes", options.minutes, 10),
    json: options.json ?? null,
    baseline: options.baseline || null,
    updateBaseline: options["baseline-update"] ?? false,
    corpus: options["no-corpus"] ? null : options.corpus || "conformance-corpus",
    readOnly: options["read-only"] ?? false,
    mayDisturbAlerts: options["may-disturb-alerts"] ?? false,
    oauth: options["oauth-credentials"] ? readOAuthCredentials(options["oauth-credentials"]) : null,
    loginCommand: options["oauth-login-command"] || null,
    stateFolder: stateFolder(options.state, env),
    repeated: repeatedOptions(options),
    servers: options.servers === undefined ? null : parseCount("--servers", options.servers, 1),
    watch: options.watch ?? false,
    complete: options.complete ?? false,
    list: options.list ?? false,
    help: options.help ?? false,
  };
  checkTogether(settings, env);
  return settings;
}

/** Throws `UsageError` where an option needs another one, or excludes it. */
function checkTogether(settings: Settings, env: NodeJS.ProcessEnv): void {
  if (settings.readOnly && !settings.url && !settings.help && !settings.list)
    throw new UsageError("--read-only needs --url: a server of the suite's own is for changing");
  if (settings.updateBaseline && !settings.baseline) throw new UsageError("--baseline-update needs --baseline FILE");
  if (settings.loginCommand !== null && !settings.oauth) throw new UsageError("--oauth-login-command needs --oauth-credentials FILE");
  if (settings.oauth && !settings.url) throw new UsageError("--oauth-credentials needs --url: the project's own server gets its own");
  if (settings.json !== null && !hasSources)
    throw new UsageError("--json writes vitest's own results, which the package lacks: events.ndjson and ctrf.json have every rule, too");
  const needsServer = !settings.list && !settings.help;
  if (needsServer && !settings.url && !hasSources) throw new UsageError("--url is missing: the package tests a server, it starts none");
  if (needsServer && settings.url && !env.API_KEY) throw new UsageError("--url needs API_KEY in the environment");
}

function parseOptions(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    url: text,
    profile: text,
    depth: text,
    "length-unit": text,
    seed: text,
    report: text,
    only: text,
    "changed-since": text,
    shard: text,
    seconds: text,
    minutes: text,
    "har-megabytes": text,
    json: text,
    servers: text,
    state: text,
    "oauth-credentials": text,
    "oauth-login-command": text,
    baseline: text,
    corpus: text,
    implementation: text,
  };
  const flags = { "read-only": flag, "may-disturb-alerts": flag, "baseline-update": flag, "no-corpus": flag, complete: flag } as const;
  return toUsageError(
    () => parseArgs({ args: [...args], options: { ...options, ...flags, har: flag, watch: flag, list: flag, help: flag } }).values,
  );
}
