// The help text of the conformance command.

import { scopes } from "../contract/contract.ts";
import { hasSources } from "../contract/sources.ts";

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

const serversUsage = `  --servers N          number of servers to start; the rule files are divided among them (default: one for
                       each 20 s of rules, at most 4, on the PostgreSQL of DATABASE_URL 2, with --depth quick 1)
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
                       (default: 15; with a seed no limit, so that a repeated run tries the same; 0: no limit; a minute
                       where the server limits the rate)
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
