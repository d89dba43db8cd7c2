// The settings of a run: its options, and the OAuth clients of a server of someone else.

import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { approve, authorizationPath } from "../client/oauth/authorization.ts";
import { scopes } from "../contract/contract.ts";
import type { Run } from "../report/run.ts";
import type { Serving } from "../servers/serve.ts";
import { type Depth, sampleOfRun, timeLimits } from "../values/run-settings.ts";
import type { Client, ClientHolder, Handle, LengthUnit, Login, OAuth, Served, Target } from "../values/target.ts";
import { NotMeasurable, UsageError } from "./usage-error.ts";

export const profiles = ["interface", "contract"] as const;

/** `interface`: what the interface document fixes. `contract`: the published contract as well. */
export type Profile = (typeof profiles)[number];

/** One of several parts of a run, each run on its own: `index` from 1 to `count`. */
export type Shard = { index: number; count: number };

/** Parses `2/4`; null: the text is not a shard. */
export function parseShard(text: string): Shard | null {
  const [, index = 0, count = 0] = (/^([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(text) ?? []).map(Number);
  return index >= 1 && index <= count ? { index, count } : null;
}

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
  /** Rule files to which the run is narrowed, since no title of another one matches `only`; without it all. No option names them. */
  families?: ReadonlySet<string>;
  /** The part of the rule files to run; null: all. */
  shard: Shard | null;
  /** Duration after which a quick run leaves out rules; null: no limit. */
  seconds: number | null;
  /** Time limit of a run against a server that limits the request rate. */
  minutes: number;
  /** File for vitest's own JSON. */
  json: string | null;
  /** Number of servers to start, among which the rule files are divided; null: as many as the selected rules are worth. */
  servers: number | null;
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
  /** Where a server of someone else delivers webhooks, and the port of this machine that this leads to; null: nowhere. */
  receiver: { url: string; port: number } | null;
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
};

// Makes the target of a run: a server with the settings by which the rules read it.

type TargetSettings = Pick<Settings, "seed" | "path" | "depth" | "only" | "lengthUnit" | "harMegabytes" | "corpus" | "titles" | "receiver">;

/** Combines a server with the settings of this run. */
export const createTarget = (
  { seed, path, depth, only, lengthUnit, harMegabytes, corpus, titles, receiver }: TargetSettings,
  served: Served,
): Target => ({
  ...served,
  seed,
  path,
  depth,
  lengthUnit,
  wanted: sampleOfRun({ depth, only }),
  sample: sampleOfRun({ depth, only }),
  shrinks: titles === undefined,
  pace: null,
  limits: timeLimits,
  slots: null,
  foreign: served.operator === null,
  receiver,
  runId: randomBytes(6).toString("hex"),
  requests: null,
  corpus,
  protection: null,
  maxRequestBytes: harMegabytes * 1_000_000,
});

// OAuth clients and streamers' logins of a server of someone else, from a file.

type OAuthCredentials = Pick<OAuth, "clients" | "logins">;

const everywhere = "https://client.example/callback";
const redirectUris = [everywhere, "http://127.0.0.1/callback"];

/** What each client must be registered with. */
const registrations: Record<ClientHolder, { isPublic: boolean } & Pick<Client, "redirectUris" | "scopes">> = {
  confidential: { isPublic: false, redirectUris, scopes },
  second: { isPublic: false, redirectUris, scopes },
  public: { isPublic: true, redirectUris, scopes },
  readOnly: { isPublic: false, redirectUris: [everywhere], scopes: ["read:donations"] },
};
const holders = Object.keys(registrations) as ClientHolder[];
const handles: Handle[] = ["main", "other"];

/** Reads `--oauth-credentials`. Throws UsageError that names the member that is wrong. */
export function readOAuthCredentials(file: string): OAuthCredentials {
  const where = `--oauth-credentials: ${file}`;
  const { clients, streamers = {} } = membersOf(parse(file, where), ["clients", "streamers"], where);
  const givenClients = membersOf(clients, holders, `${where}, clients`);
  const givenStreamers = membersOf(streamers, handles, `${where}, streamers`);
  if (givenClients.confidential === undefined) throw new UsageError(`${where}: clients.confidential is missing`);
  return {
    clients: mapMembers(givenClients, (holder: ClientHolder, value) => clientOf(holder, value, `${where}, clients.${holder}`)),
    logins: mapMembers(givenStreamers, (handle: Handle, value) => loginOf(value, `${where}, streamers.${handle}`)),
  };
}

/** Adds the credentials to a server that is not ours, with a folder for the secrets that the run sees. */
export function withOAuth(
  { served: [server], stop }: Serving,
  given: OAuthCredentials,
  how: Pick<OAuth, "loginCommand" | "terminal">,
): Serving {
  const logs = mkdtempSync(join(tmpdir(), "namjai-conformance-oauth-"));
  const secrets = join(logs, "secrets.txt");
  writeFileSync(secrets, "");
  const oauth = { ...given, ...how, secrets, logs };
  return {
    served: [{ ...server, client: given.clients.confidential ?? null, oauth }],
    stop: () => stop().finally(() => rmSync(logs, { recursive: true, force: true })),
  };
}

/** Tries one approval, where nobody has to be asked. Throws NotMeasurable where it fails: every rule with a token would. */
export async function calibrateApproval({ oauth, protection }: Target): Promise<string[]> {
  if (!oauth?.clients.confidential || protection?.readOnly) return [];
  const asksNobody = oauth.loginCommand !== null || oauth.logins.main !== undefined;
  if (!asksNobody) return [oauth.terminal ? "clients are approved at the terminal" : "nobody can approve a client: --oauth-login-command"];
  const location = await approve(authorizationPath(oauth.clients.confidential)).catch((error: unknown) => {
    throw new NotMeasurable(`clients.confidential cannot be approved: ${error instanceof Error ? error.message : error}`);
  });
  if (!location.searchParams.has("code"))
    throw new NotMeasurable(
      `clients.confidential was approved without a code: ${location.origin}${location.pathname} ${location.searchParams.get("error") ?? ""}`,
    );
  return ["an OAuth client is approved; approvals of this run stay on the server"];
}

function parse(file: string, where: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new UsageError(isMissing ? `${where} does not exist` : `${where} cannot be read as JSON`); // the parser's message quotes the file
  }
}

/** The members of an object that has no others. */
function membersOf<Name extends string>(value: unknown, names: readonly Name[], where: string): Partial<Record<Name, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new UsageError(`${where} must be an object`);
  const unknown = Object.keys(value).find((name) => !names.some((one) => one === name));
  if (unknown !== undefined) throw new UsageError(`${where}: ${unknown} is unknown; known are ${names.join(", ")}`);
  return value as Partial<Record<Name, unknown>>;
}

const mapMembers = <Name extends string, T>(given: Partial<Record<Name, unknown>>, read: (name: Name, value: unknown) => T) =>
  Object.fromEntries((Object.entries(given) as [Name, unknown][]).map(([name, value]) => [name, read(name, value)])) as Partial<
    Record<Name, T>
  >;

function clientOf(holder: ClientHolder, value: unknown, where: string): Client {
  const { isPublic, ...registered } = registrations[holder];
  const members = membersOf(value, isPublic ? ["id", "name"] : ["id", "name", "secret"], where);
  const secret = isPublic ? null : textOf(members, "secret", where);
  return { id: textOf(members, "id", where), name: textOf(members, "name", where), secret, ...registered };
}

function loginOf(value: unknown, where: string): Login {
  const members = membersOf(value, ["handle", "password"], where);
  return { handle: textOf(members, "handle", where), password: textOf(members, "password", where) };
}

function textOf(members: Record<string, unknown>, name: string, where: string): string {
  const value = members[name];
  if (typeof value !== "string" || value === "") throw new UsageError(`${where}: ${name} must be a text that is not empty`);
  return value;
}
