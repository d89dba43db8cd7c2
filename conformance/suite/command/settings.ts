// The settings of a run of the suite.

import type { Run } from "../report/run.ts";
import type { Depth } from "../values/sample.ts";
import type { LengthUnit } from "../values/target.ts";
import type { OAuthCredentials } from "./oauth-credentials.ts";
import type { Shard } from "./shard.ts";

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
