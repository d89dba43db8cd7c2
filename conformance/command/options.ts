// Options of the conformance command and its help text.

import { parseArgs } from "node:util";

import { type Depth, depths } from "../harness/generators/sample.ts";
import { readSeed } from "../harness/generators/seed.ts";
import { scopes } from "../harness/oracle/contract.ts";
import { type LengthUnit, lengthUnits } from "../harness/oracle/length-units.ts";
import { hasSources } from "../harness/server/sources.ts";
import type { Run } from "../report/run.ts";
import { type OAuthCredentials, readOAuthCredentials } from "./oauth-credentials.ts";
import { repeatedOptions } from "./repeated-options.ts";
import { toPattern } from "./rule-files.ts";
import { parseShard, type Shard } from "./shard.ts";
import { stateFolder } from "./state-folder.ts";
import { UsageError } from "./usage-error.ts";

export const profiles = ["interface", "contract"] as const;

/** `interface`: what the interface document fixes. `contract`: the published contract as well. */
export type Profile = (typeof profiles)[number];

export type Settings = {
  /** Base address; undefined: a server is started for the run. */
  url: string | undefined;
  profile: Profile;
  depth: Depth;
  /** What a character of a text is. */
  lengthUnit: LengthUnit;
  seed: number;
  /** fast-check's path to one counterexample. */
  path: string | null;
  /** Folder of the reports. */
  report: string;
  /** Name of what is tested, in tables of results; null: its address. */
  implementation: string | null;
  har: boolean;
  harMegabytes: number;
  only: string | null;
  /** Titles of the rules to run, of the rule files that `only` selects; without it all. The mutants name them, no option does. */
  titles?: RegExp;
  /** Commit, branch or tag: only rules of operations whose contract has changed since then are run; null: all. */
  changedSince: string | null;
  /** Operations whose rules are run, beside those about all of them; null: all. `--changed-since` decides. */
  operations: readonly string[] | null;
  /** The part of the rule files to run; null: all. */
  shard: Shard | null;
  /** Duration after which a quick run leaves out rules; null: no limit. */
  seconds: number | null;
  /** Time limit of a run against a server that limits the request rate. */
  minutes: number;
  /** File for vitest's own JSON. */
  json: string | null;
  /** Number of servers to start; the rule files are divided among them. */
  servers: number;
  /** File of known failures; null: none are known. */
  baseline: string | null;
  /** Writes the failures of the run into the file of known ones. */
  updateBaseline: boolean;
  /** Folder of the counterexamples of earlier runs; null: none are kept. */
  corpus: string | null;
  /** Sends nothing that may change the server. */
  readOnly: boolean;
  /** Runs the rules about alerts although alerts wait that are not the suite's own. */
  mayDisturbAlerts: boolean;
  /** OAuth clients and logins of a server of someone else; null: none. */
  oauth: OAuthCredentials | null;
  /** Shell command that approves an OAuth client; null: none. */
  loginCommand: string | null;
  /** Folder of the journals of runs against a server of someone else. */
  stateFolder: string;
  /** Options that a replay of a failed rule must repeat. */
  repeated: Run["options"];
  /** Runs again when files change. */
  watch: boolean;
  /** A run that was incomplete has an exit code of its own. */
  complete: boolean;
  list: boolean;
  help: boolean;
};

const projectCommands = `  make conformance [URL=… API_KEY=…] [PROFILE=…] [DEPTH=…] [LENGTH_UNIT=…] [SEED=…] [ONLY=…] [CHANGED_SINCE=…] [REPORT=…] [HAR=1] [SERVERS=…]
  npm run conformance -- [options]
  npx namjai-conformance [options]
  npx namjai-conformance table DIR    makes one page of the result.yaml files in DIR
  npx namjai-conformance receiver URL    tests a receiver of webhooks; receiver --help has its options`;

const packageCommands = `  API_KEY=… npx namjai-conformance --url URL [options]
  npx namjai-conformance table DIR    makes one page of the result.yaml files in DIR
  npx namjai-conformance receiver URL    tests a receiver of webhooks; receiver --help has its options`;

const changedSinceUsage = `  --changed-since REF  runs only the rules of operations whose contract differs from that of the commit, branch or tag REF: those that
                       call them, or are about all. Where nothing differs it says so, runs nothing and exits with 0
`;

const serversUsage = `  --servers N          number of servers to start; the rule files are divided among them (default: 3, with --depth quick 1)
`;

const jsonUsage = `  --json FILE          also writes vitest's results to FILE
`;

const exitCodeUsage =
  "make exits with 2 for each of 1, 2, 3 and 64. npm run conformance and npx namjai-conformance pass the exit code on.\n";

export const usage = `Tests whether a server implements the donation API.

${hasSources ? projectCommands : packageCommands}

  --url URL            base address of the server to test. ${hasSources ? "Without it, the project's own server is started." : "Required."}
                       Donations created on the server are not deleted
  --profile PROFILE    interface: only the rules of the interface document, for any server that implements it
                       contract (default): all rules, with problem codes, idempotency, reports, alerts and OAuth
  --depth DEPTH        quick: a sample, in seconds; standard: every rule that needs no server process of its own, with one in four
                       of its values where these are many; full (default): everything, in minutes
  --length-unit UNIT   what a character of a text is, which the interface document does not say: code-points, utf-16 or graphemes.
                       Default with --profile interface: all, only lengths on which the three agree
  --seed SEED          repeats a run; the seed of a failure (such as 5:1:0) repeats its failing value
  --only PATTERN       runs the rule files whose name contains PATTERN; if there are none, the rules whose title contains
                       it. /…/ is a regular expression
${hasSources ? changedSinceUsage : ""}  --report DIR         folder for the reports: HTML, JUnit, CTRF, SARIF, TAP and others (default: conformance-report)
  --implementation NAME    name of the server in tables of results (default: its address)
  --shard I/N          runs part I of N parts that take about the same time, such as 1/4
  --har                also writes requests and answers to requests.har
  --har-megabytes N    size of requests.har at which further requests are left out (default: 100); the file says how many
  --seconds N          duration of a quick run: where the machine or the server is slow, it leaves out rules and values and counts them
                       (default: 15; with a seed no limit, so that a repeated run tries the same; 0: no limit)
  --minutes N          maximum duration of a run against a server that limits the request rate (default: 10)
${hasSources ? jsonUsage + serversUsage : ""}  --baseline FILE      known failures, a list of {rule, digest, reason, expires}: printed, and no reason to fail. An entry whose
                       rule passes now is an error, and so is one that names no rule; an expired one is a failure
  --baseline-update    writes the failures of this run into FILE; reasons and dates of known ones stay
  --corpus DIR         folder that keeps every shrunk counterexample; the next run tries them first (default: conformance-corpus)
  --no-corpus          keeps none and tries none
  --read-only          with --url, for a server in use: sends only GET and HEAD, and of these none with side effects
  --may-disturb-alerts with --url: also runs rules about alerts while alerts of others wait, which may then be lost
  --state DIR          with --url: folder that notes what must be put back on the server after a crash
                       (default: NAMJAI_CONFORMANCE_STATE, or namjai-conformance in $XDG_STATE_HOME or ~/.local/state)
  --oauth-credentials FILE     with --url: JSON with registered OAuth clients and, for rules about the login page, streamers' logins
  --oauth-login-command CMD    reads the address of an authorization request from its standard input, logs in and approves as the
                       streamer that OAUTH_STREAMER names (main: of API_KEY; other: of OTHER_API_KEY) and prints the address that
                       it is redirected to. Without it and without logins, a terminal shows the address to approve by hand
  --watch              runs again ${hasSources ? "when a file of spec/, generated/ or the rules changes, and " : ""}on Enter; what failed last is run first. Ctrl-C ends
  --complete           exit code 3 instead of 0 where no rule failed, but something required was not run or was left out
  --list               prints the titles of the rules and runs nothing
  --help               prints this text

  merge DIR… [--report DIR] [--complete]    instead of options: merges the reports of all shards of a run

Credentials are read from the environment, so that they do not appear in process lists:

  API_KEY                        required with --url. --profile interface needs a key with write:donations, --profile contract
                                 one with all scopes: ${scopes.join(" ")}
  SECOND_APPLICATION_API_KEY     write:donations and read:donations; the streamer of API_KEY, another application
  READ_API_KEY, WRITE_API_KEY    read:donations alone, write:donations alone; streamer and application of API_KEY
  OTHER_API_KEY                  all scopes, another streamer
  QUIET_API_KEY                  write:donations and read:donations, a streamer who has no donations
  OVERLAY_KEY, OTHER_OVERLAY_KEY    overlay keys of the streamers of API_KEY and OTHER_API_KEY
  OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET    an OAuth client, where there is no --oauth-credentials
  OAUTH_ACCESS_TOKEN             an access token of this client with write:donations
  OAUTH_REVOCABLE_TOKEN          another access token of this client; a rule revokes it

A rule whose credential is missing is reported as "not run", with the reason.

Exit codes: 0 no rule failed; that need not mean that every rule was run (--complete)
            1 failed
            2 not measurable: the server cannot be reached, the key is wrong, no rule was run, the run was
               interrupted; the reason is printed
            3 incomplete, with --complete alone: no rule failed, but not everything required was tried
            64 wrong usage
${hasSources ? exitCodeUsage : ""}
Requests go to the server directly: HTTP_PROXY, HTTPS_PROXY and ALL_PROXY are ignored.
`;

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
    shard: options.shard === undefined ? null : shardOf(options.shard),
    seconds: depth === "quick" ? secondsOf(options.seconds, options.seed ?? env.SEED) : null,
    harMegabytes: Number(options["har-megabytes"] ?? 100),
    only: parseOnly(options.only),
    changedSince: options["changed-since"] || null,
    operations: null,
    minutes: Number(options.minutes ?? 10),
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
    servers: Number(options.servers ?? (depth === "quick" ? 1 : 3)),
    watch: options.watch ?? false,
    complete: options.complete ?? false,
    list: options.list ?? false,
    help: options.help ?? false,
  };
  if (!(settings.minutes > 0)) throw new UsageError(`--minutes must be a number above 0, not "${options.minutes}"`);
  if (!(settings.harMegabytes > 0)) throw new UsageError(`--har-megabytes must be a number above 0, not "${options["har-megabytes"]}"`);
  if (!Number.isInteger(settings.servers) || settings.servers < 1)
    throw new UsageError(`--servers must be a whole number above 0, not "${options.servers}"`);
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
  return settings;
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

function toUsageError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parseChoice<T extends string>(option: string, values: readonly T[], given: string): T {
  const found = values.find((value) => value === given);
  if (!found) throw new UsageError(`${option} must be ${values.join(" or ")}, not "${given}"`);
  return found;
}

function parseOnly(text: string | undefined): string | null {
  if (!text) return null;
  try {
    toPattern(text);
  } catch (error) {
    throw new UsageError(`--only is no valid regular expression: ${error instanceof Error ? error.message : error}`);
  }
  return text;
}

/** The contract counts code points; the interface document does not name its unit. */
function parseLengthUnit(profile: Profile, given: string | undefined): LengthUnit {
  const unit = parseChoice("--length-unit", lengthUnits, given ?? (profile === "contract" ? "code-points" : "all"));
  if (profile === "contract" && unit !== "code-points")
    throw new UsageError("--length-unit is for --profile interface: the contract counts code points");
  return unit;
}

function secondsOf(text: string | undefined, seed: string | undefined): number | null {
  if (text === undefined) return seed ? null : 15;
  if (!(Number(text) >= 0) || text.trim() === "") throw new UsageError(`--seconds must be a number from 0 on, not "${text}"`);
  return Number(text) || null;
}

function shardOf(text: string): Shard {
  const shard = parseShard(text);
  if (!shard) throw new UsageError(`--shard must be a part and the number of parts, such as 1/4, not "${text}"`);
  return shard;
}

function parseUrl(url: string | undefined): string | undefined {
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new UsageError(`"${url}" is not an http or https address`);
  const { search, hash, username } = new URL(url);
  if (search || hash || username) throw new UsageError("the base address must have no user, query or fragment");
  return url.replace(/\/+$/, "");
}
