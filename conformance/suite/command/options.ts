// The options of the conformance command: their names, values and help.

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { isPlain, shellWord } from "../client/launches.ts";
import { scopes } from "../contract/contract.ts";
import { hasSources } from "../contract/sources.ts";
import type { Run } from "../report/run.ts";
import { type Depth, depths, readSeed } from "../values/run-settings.ts";
import { type LengthUnit, lengthUnits } from "../values/target.ts";
import { toPattern } from "./rule-files.ts";
import { type Profile, parseShard, profiles, readOAuthCredentials, type Settings, type Shard } from "./settings.ts";
import { newCommand, parse, UsageError } from "./usage-error.ts";

/** What commander makes of the command line and of the environment. */
type Options = {
  url?: string;
  profile: Profile;
  depth: Depth;
  lengthUnit?: LengthUnit;
  seed?: ReturnType<typeof readSeed>;
  only?: string;
  changedSince?: string;
  report: string;
  implementation?: string;
  shard?: Shard;
  har?: boolean;
  harMegabytes: number;
  seconds?: number;
  minutes: number;
  json?: string;
  servers?: number;
  baseline?: string;
  baselineUpdate?: boolean;
  corpus: string | false;
  readOnly?: boolean;
  mayDisturbAlerts?: boolean;
  receiverUrl?: string;
  receiverPort: number;
  state?: string;
  oauthCredentials?: string;
  oauthLoginCommand?: string;
  watch?: boolean;
  complete?: boolean;
  list?: boolean;
};

/** The conformance command with its options, without its subcommands. */
export function suiteCommand(): Command {
  const command = newCommand("npx namjai-conformance")
    .usage(hasSources ? "[options]" : "--url <url> [options]")
    .description(usage.summary)
    .addHelpText("after", usage.afterOptions);
  for (const option of suiteOptions()) command.addOption(option);
  // A variable that is set to nothing is not set, as in make.
  for (const { envVar } of command.options) if (envVar && process.env[envVar] === "") delete process.env[envVar];
  return command;
}

function suiteOptions(): Option[] {
  const option = (flags: string, description: string): Option => new Option(flags, description);
  const ofProject = (option: Option): Option => option.hideHelp(!hasSources);
  const lengthUnit = "what a character of a text is, which the interface document does not say. With --profile interface by default all";
  return [
    option(
      "--url <url>",
      `base address of the server to test. ${usage.withoutUrl} Donations created on the server stay, void where it allows that`,
    )
      .env("API_URL")
      .argParser(readUrl),
    option("--profile <profile>", usage.profile).choices(profiles).default("contract"),
    option("--depth <depth>", usage.depth).choices(depths).default("full").env("DEPTH"),
    option("--length-unit <unit>", `${lengthUnit}: only lengths on which the others agree`).choices(lengthUnits),
    option("--seed <seed>", "repeats a run; the seed of a failure (such as 5:1:0) repeats its failing value").env("SEED").argParser(seed),
    option("--only <pattern>", usage.only).argParser(pattern),
    ofProject(option("--changed-since <ref>", usage.changedSince)),
    option("--report <dir>", "folder for the reports: HTML, JUnit, SARIF and others").default("conformance-report"),
    option("--implementation <name>", "name of the server in tables of results (default: its address)").env("IMPLEMENTATION"),
    option("--shard <i/n>", "runs part I of N parts that take about the same time, such as 1/4").argParser(shard),
    option("--har", "also writes requests and answers to requests.har"),
    option("--har-megabytes <n>", "size of requests.har at which further requests are left out; the file says how many")
      .default(100)
      .argParser(positive),
    option("--seconds <n>", usage.seconds).argParser(fromZero),
    option("--minutes <n>", "maximum duration of a run against a server that limits the request rate").default(10).argParser(positive),
    ofProject(option("--json <file>", "also writes vitest's results to the file")),
    ofProject(option("--servers <n>", usage.servers).argParser(count)),
    option("--baseline <file>", usage.baseline),
    option("--baseline-update", "writes the failures of this run into the file; reasons and dates of known ones stay"),
    option("--corpus <dir>", "folder that keeps every shrunk counterexample; the next run tries them first").default("conformance-corpus"),
    option("--no-corpus", "keeps none and tries none"),
    option("--read-only", "with --url, for a server in use: sends only GET and HEAD, and of these none with side effects"),
    option(
      "--may-disturb-alerts",
      "with --url: also runs rules about alerts while alerts of others wait, which may be lost, and while a timer runs",
    ),
    option("--receiver-url <url>", usage.receiverUrl).argParser(readUrl),
    option("--receiver-port <port>", "port of this machine that --receiver-url leads to").default(8787).argParser(port),
    option("--state <dir>", usage.state),
    option("--oauth-credentials <file>", usage.oauthCredentials),
    option("--oauth-login-command <cmd>", usage.oauthLoginCommand),
    option("--watch", usage.watch).conflicts("list"),
    option("--complete", "exit code 3 instead of 0 where no rule failed, but something required was not run or was left out"),
    option("--list", "prints the titles of the rules and runs nothing"),
  ];
}

/** Reads the settings from these arguments and from the environment. Throws `UsageError`. */
export const readSettings = (args: readonly string[]): Settings => settingsOf(parse(suiteCommand(), args));

/** The settings of a command that has been parsed. Throws `UsageError` where options do not fit together. */
export function settingsOf(command: Command): Settings {
  const options = command.opts<Options>();
  const { profile, depth } = options;
  const lengthUnit = options.lengthUnit ?? (profile === "contract" ? "code-points" : "all");
  checkTogether(options, lengthUnit);
  return {
    url: options.url,
    profile,
    depth,
    lengthUnit,
    ...(options.seed ?? readSeed(undefined)),
    report: options.report,
    implementation: options.implementation || null,
    har: options.har ?? false,
    harMegabytes: options.harMegabytes,
    shard: options.shard ?? null,
    // A run with a seed has no limit, so that it tries the same again.
    seconds: depth === "quick" ? (options.seconds ?? (options.seed ? 0 : 15)) || null : null,
    only: options.only || null,
    changedSince: options.changedSince || null,
    operations: null,
    minutes: options.minutes,
    json: options.json ?? null,
    baseline: options.baseline || null,
    updateBaseline: options.baselineUpdate ?? false,
    corpus: options.corpus || null,
    readOnly: options.readOnly ?? false,
    mayDisturbAlerts: options.mayDisturbAlerts ?? false,
    oauth: options.oauthCredentials ? readOAuthCredentials(options.oauthCredentials) : null,
    loginCommand: options.oauthLoginCommand || null,
    receiver: options.receiverUrl ? { url: options.receiverUrl, port: options.receiverPort } : null,
    stateFolder: stateFolder(options.state, process.env),
    repeated: repeatedOptions(command),
    servers: options.servers ?? null,
    watch: options.watch ?? false,
    complete: options.complete ?? false,
    list: options.list ?? false,
  };
}

/** Throws `UsageError` where an option needs another one, or excludes a value of another one. */
function checkTogether(options: Options, lengthUnit: LengthUnit): void {
  const { url, profile, list } = options;
  if (profile === "contract" && lengthUnit !== "code-points")
    throw new UsageError("--length-unit is for --profile interface: the contract counts code points");
  if (options.readOnly && !url && !list) throw new UsageError("--read-only needs --url: a server of the suite's own is for changing");
  if (options.baselineUpdate && !options.baseline) throw new UsageError("--baseline-update needs --baseline FILE");
  if (options.oauthLoginCommand && !options.oauthCredentials) throw new UsageError("--oauth-login-command needs --oauth-credentials FILE");
  if (options.oauthCredentials && !url) throw new UsageError("--oauth-credentials needs --url: the project's own server gets its own");
  if (options.receiverUrl && !url) throw new UsageError("--receiver-url needs --url: the project's own server reaches this machine");
  if (options.json !== undefined && !hasSources)
    throw new UsageError("--json writes vitest's own results, which the package lacks: events.ndjson and junit.xml have every rule, too");
  if (!list && !url && !hasSources) throw new UsageError("--url is missing: the package tests a server, it starts none");
  if (!list && url && !process.env.API_KEY) throw new UsageError("--url needs API_KEY in the environment");
}

/** Options that decide which rules are run and what they know, beside those of which a run notes the value that it used. */
const repeated = [
  "oauthCredentials",
  "oauthLoginCommand",
  "state",
  "corpus",
  "minutes",
  "readOnly",
  "mayDisturbAlerts",
  "receiverUrl",
  "receiverPort",
];

/** The options that a replay of a failed rule must repeat. */
export const repeatedOptions = (command: Command): Run["options"] =>
  repeated.flatMap((name): Run["options"] => {
    const value = command.getOptionValue(name) as string | number | boolean;
    if (command.getOptionValueSource(name) !== "cli" || value === "") return [];
    const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [value === false ? [`no-${option}`, null] : [option, value === true ? null : wordOf(name, String(value))]];
  });

/** A command with arguments may contain a password: the replay names a variable for it. */
const wordOf = (name: string, value: string): string =>
  name === "oauthLoginCommand" && !isPlain(value) ? '"$OAUTH_LOGIN_COMMAND"' : shellWord(value);

function readUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new InvalidArgumentError("It is not an http or https address.");
  const { search, hash, username } = new URL(url);
  if (search || hash || username) throw new InvalidArgumentError("The base address must have no user, query or fragment.");
  return url.replace(/\/+$/, "");
}

const seed = (text: string) => valueOr(() => readSeed(text));

function pattern(text: string): string {
  if (text) valueOr(() => toPattern(text), "It is no valid regular expression: ");
  return text;
}

/** Runs `read`; an error of any kind becomes wrong usage. */
function valueOr<T>(read: () => T, before = ""): T {
  try {
    return read();
  } catch (error) {
    throw new InvalidArgumentError(`${before}${error instanceof Error ? error.message : error}`);
  }
}

function shard(text: string): Shard {
  const found = parseShard(text);
  if (!found) throw new InvalidArgumentError("It must be a part and the number of parts, such as 1/4.");
  return found;
}

const number = (text: string, fits: (value: number) => boolean, rule: string): number => {
  if (text.trim() === "" || !fits(Number(text))) throw new InvalidArgumentError(rule);
  return Number(text);
};

const positive = (text: string): number => number(text, (value) => value > 0, "It must be a number above 0.");
const fromZero = (text: string): number => number(text, (value) => value >= 0, "It must be a number from 0 on.");
const port = (text: string): number =>
  number(text, (value) => Number.isInteger(value) && value > 0 && value < 65_536, "It must be a port from 1 to 65535.");
const count = (text: string): number => number(text, (value) => Number.isInteger(value) && value > 0, "It must be a whole number above 0.");

// The help texts of the conformance command that are longer than a line.

const makeCommands = `
From a checkout: make conformance [URL=… API_KEY=…] [PROFILE=…] [DEPTH=…] [LENGTH_UNIT=…] [SEED=…] [ONLY=…] [CHANGED_SINCE=…] [REPORT=…] [HAR=1]
[SERVERS=…], or npm run conformance -- [options]. make exits with 2 for each of 1, 2, 3 and 64; npm passes the exit code on.
`;

const usage = {
  summary: "Tests whether a server implements the donation API.",
  withoutUrl: hasSources ? "Without it, the project's own server is started." : "Required.",
  profile:
    "interface: only the rules of the interface document, for any server that implements it; contract: all rules, with problem codes, idempotency, reports, alerts and OAuth",
  depth:
    "quick: a sample, in seconds; standard: every rule that needs no server process of its own, with one in four of its values where these are many; full: everything, in minutes",
  only: "runs the rule files whose name contains the pattern; if there are none, the rules whose title contains it; of these a quick run tries every rule. /…/ is a regular expression",
  changedSince:
    "runs only the rules of operations whose contract differs from that of the commit, branch or tag: those that call them, or are about all. Where nothing differs it says so, runs nothing and exits with 0",
  seconds:
    "duration of a quick run: where the machine or the server is slow, it leaves out rules and values and counts them (default: 15; with a seed no limit, so that a repeated run tries the same; 0: no limit; a minute where the server limits the rate)",
  servers:
    "number of servers to start; the rule files are divided among them (default: one for each 20 s of rules, at most 4, on the PostgreSQL of DATABASE_URL 2, with --depth quick 1)",
  baseline:
    "known failures, a list of {rule, digest, reason, expires}: printed, and no reason to fail. An entry whose rule passes now is an error, and so is one that names no rule; an expired one is a failure",
  state:
    "with --url: folder that notes what must be put back on the server after a crash (default: NAMJAI_CONFORMANCE_STATE, or namjai-conformance in $XDG_STATE_HOME or ~/.local/state)",
  receiverUrl:
    "with --url: public address at which the server reaches a port of this machine (--receiver-port), for rules that receive webhooks; a tunnel leads there",
  oauthCredentials: "with --url: JSON with registered OAuth clients and, for rules about the login page, streamers' logins",
  oauthLoginCommand:
    "reads the address of an authorization request from its standard input, logs in and approves as the streamer that OAUTH_STREAMER names (main: of API_KEY; other: of OTHER_API_KEY) and prints the address that it is redirected to. Without it and without logins, a terminal shows the address to approve by hand",
  watch: `runs again ${hasSources ? "when a file of spec/, generated/ or the rules changes, and " : ""}on Enter; what failed last is run first. Ctrl-C ends`,
  afterOptions: `
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
${hasSources ? makeCommands : ""}
Requests go to the server directly: HTTP_PROXY, HTTPS_PROXY and ALL_PROXY are ignored.`,
};

// The folder in which a user's runs keep their journals.

/** The folder of the journals: `given`, `NAMJAI_CONFORMANCE_STATE`, or the user's state folder (XDG Base Directory Specification). */
function stateFolder(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const base = env.XDG_STATE_HOME?.startsWith("/") ? env.XDG_STATE_HOME : join(homedir(), ".local", "state");
  return resolve(given || env.NAMJAI_CONFORMANCE_STATE || join(base, "namjai-conformance"));
}
