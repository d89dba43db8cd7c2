import { parseArgs } from "node:util";

import { type Depth, depths } from "../harness/generators/sample.ts";
import { readSeed } from "../harness/generators/seed.ts";

export const profiles = ["interface", "contract"] as const;

/** `interface`: what the interface document fixes. `contract`: the published contract as well. */
export type Profile = (typeof profiles)[number];

export type Settings = {
  /** Undefined: our server, started for the run. */
  url: string | undefined;
  profile: Profile;
  depth: Depth;
  seed: number;
  /** Of one counterexample. */
  path: string | null;
  /** Folder of the reports. */
  report: string;
  har: boolean;
  only: string | null;
  /** How long a run may take where the server limits the rate. */
  minutes: number;
  /** File for vitest's own JSON. */
  json: string | null;
  /** Servers of ours among which the rule files are divided. */
  servers: number;
  list: boolean;
  help: boolean;
};

/** The command was not given as it must be; the message says how. */
export class UsageError extends Error {}

export const usage = `Does a server keep the donation API's interface?

  make conformance [URL=… API_KEY=…] [PROFILE=…] [DEPTH=…] [SEED=…] [ONLY=…] [REPORT=…] [HAR=1] [SERVERS=…]
  npm run conformance -- [options]
  npx namjai-conformance [options]

  --url URL            the server's base address; without one, ours is started. Donations stay on a server of yours
  --profile PROFILE    interface: only what the interface document fixes, for any server that claims it
                       contract (default): codes, idempotency, reports and OAuth as well
  --depth DEPTH        quick: seconds; full (default): minutes
  --seed SEED          repeats a run, or with the seed of a failure (5:1:0) goes straight to its counterexample
  --only PATTERN       rule files whose name contains it, or else rules whose title does; /…/ is a regular expression
  --report DIR         where report.html, junit.xml and events.ndjson go (default: conformance-report)
  --har                every request and answer as well, in requests.har
  --minutes N          how long a run may take where the server limits the rate (default: 10)
  --json FILE          vitest's own results as well
  --servers N          servers of ours among which the rule files are divided (default: 3, or 1 for a quick run)
  --list               prints the rules and runs nothing
  --help               prints this

Credentials come from the environment, so that no list of processes shows them:

  API_KEY                        with write:donations and read:donations; a server of yours needs it
  SECOND_APPLICATION_API_KEY     both scopes, the same streamer, another application
  READ_API_KEY, WRITE_API_KEY    one scope each, the same streamer and application as API_KEY
  OTHER_API_KEY                  both scopes, another streamer
  QUIET_API_KEY                  both scopes, a streamer without a single donation
  OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET    a client for the rules about the OAuth endpoints
  OAUTH_ACCESS_TOKEN             an access token with write:donations
  OAUTH_REVOCABLE_TOKEN          another one of that client, which a rule revokes

Rules whose credential is missing are reported as "not run".

Exit code: 0 passed, 1 failed, 2 not measurable (not reachable, wrong key, nothing ran …), 64 wrong usage.
`;

/** Settings of the command line; `API_URL`, `SEED` and `DEPTH` of the environment stand in for what it leaves out. */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const given = parsed(args);
  const { seed, path } = usable(() => readSeed(given.seed ?? env.SEED));
  const depth = oneOf("--depth", depths, given.depth ?? (env.DEPTH || "full"));
  const settings: Settings = {
    url: usable(() => checkedUrl(given.url ?? env.API_URL)),
    profile: oneOf("--profile", profiles, given.profile ?? "contract"),
    depth,
    seed,
    path,
    report: given.report ?? "conformance-report",
    har: given.har ?? false,
    only: given.only || null,
    minutes: Number(given.minutes ?? 10),
    json: given.json ?? null,
    servers: Number(given.servers ?? (depth === "full" ? 3 : 1)),
    list: given.list ?? false,
    help: given.help ?? false,
  };
  if (!(settings.minutes > 0)) throw new UsageError(`--minutes must be a number above 0, not "${given.minutes}"`);
  if (!Number.isInteger(settings.servers) || settings.servers < 1)
    throw new UsageError(`--servers must be a whole number above 0, not "${given.servers}"`);
  const asks = !settings.list && !settings.help;
  if (asks && settings.url && !env.API_KEY) throw new UsageError("a server of yours needs API_KEY in the environment beside its address");
  return settings;
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { url: text, profile: text, depth: text, seed: text, report: text, only: text, minutes: text, json: text, servers: text };
  return usable(() => parseArgs({ args: [...args], options: { ...options, har: flag, list: flag, help: flag } }).values);
}

function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function oneOf<T extends string>(option: string, values: readonly T[], given: string): T {
  const found = values.find((value) => value === given);
  if (!found) throw new UsageError(`${option} must be ${values.join(" or ")}, not "${given}"`);
  return found;
}

function checkedUrl(url: string | undefined): string | undefined {
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new UsageError(`"${url}" is no http or https address`);
  const { search, hash, username } = new URL(url);
  if (search || hash || username) throw new UsageError("the base address holds no user, query or fragment");
  return url.replace(/\/+$/, "");
}
