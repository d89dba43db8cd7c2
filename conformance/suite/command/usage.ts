// The help texts of the conformance command that are longer than a line.

import { scopes } from "../contract/contract.ts";
import { hasSources } from "../contract/sources.ts";

const makeCommands = `
From a checkout: make conformance [URL=… API_KEY=…] [PROFILE=…] [DEPTH=…] [LENGTH_UNIT=…] [SEED=…] [ONLY=…] [CHANGED_SINCE=…] [REPORT=…] [HAR=1]
[SERVERS=…], or npm run conformance -- [options]. make exits with 2 for each of 1, 2, 3 and 64; npm passes the exit code on.
`;

export const usage = {
  summary: "Tests whether a server implements the donation API.",
  withoutUrl: hasSources ? "Without it, the project's own server is started." : "Required.",
  profile:
    "interface: only the rules of the interface document, for any server that implements it; contract: all rules, with problem codes, idempotency, reports, alerts and OAuth",
  depth:
    "quick: a sample, in seconds; standard: every rule that needs no server process of its own, with one in four of its values where these are many; full: everything, in minutes",
  only: "runs the rule files whose name contains the pattern; if there are none, the rules whose title contains it. /…/ is a regular expression",
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
