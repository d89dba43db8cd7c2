// The settings of a run of the suite.

import { randomBytes } from "node:crypto";
import type { Run } from "../report/run.ts";
import { type Depth, samples, timeLimits } from "../values/run-settings.ts";
import type { LengthUnit, Served, Target } from "../values/target.ts";
import type { OAuthCredentials } from "./oauth-credentials.ts";

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

type TargetSettings = Pick<Settings, "seed" | "path" | "depth" | "lengthUnit" | "harMegabytes" | "corpus" | "titles" | "receiver">;

/** Combines a server with the settings of this run. */
export const createTarget = (
  { seed, path, depth, lengthUnit, harMegabytes, corpus, titles, receiver }: TargetSettings,
  served: Served,
): Target => ({
  ...served,
  seed,
  path,
  depth,
  lengthUnit,
  sample: samples[depth],
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
