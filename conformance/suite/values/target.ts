// What rules know of the server under test and of the settings of the run.

import { inject, type TestContext } from "vitest";
import type { Depth, Sample, TimeLimits } from "./run-settings.ts";

// How long a rule file may start rules in a quick run.

/** The time of a rule file in a quick run, in milliseconds; instants since 1970. */
export type TimeSlot = {
  endsAt: number;
  /** What the file gets all the same where loading others took longer than planned, counted from its first rule. */
  duration: number;
  /** When a file gets nothing any more: a slow server or its rate limit must not make a quick run long. */
  latest: number;
};

/** The time after which a file, whose first rule began at `begunAt`, starts no further rule. */
export function deadlineOf({ endsAt, duration, latest }: TimeSlot, begunAt: number): number {
  return Math.max(endsAt, Math.min(begunAt + duration, latest));
}

export const lengthUnits = ["all", "code-points", "utf-16", "graphemes"] as const;

/** The unit of lengths. `all`: no unit is preferred, and a length counts only where all three units lead to the same decision. */
export type LengthUnit = (typeof lengthUnits)[number];

/** Holders of credentials, one each. */
export type Holder =
  | "main" // all scopes
  | "secondApplication" // both donation scopes, the same streamer, another application
  | "readOnly" // read:donations of the same streamer
  | "writeOnly" // write:donations of the same streamer
  | "other" // all scopes, another streamer
  | "quiet" // both donation scopes, a streamer to whom nobody has ever donated
  | "overlay" // the overlay key of main's streamer
  | "otherOverlay"; // and of other's

/** What the operator's CLI needs to reach the database of the server under test. `code`: its folder, if not this checkout. */
export type Operator = { env: Record<string, string>; handle: string; code?: string };

/** A registered OAuth client. */
export type Client = {
  id: string;
  /** Null for a public one. */
  secret: string | null;
  name: string;
  redirectUris: string[];
  scopes: string[];
};

export type ClientHolder =
  | "confidential" // all scopes
  | "second" // all scopes, another application
  | "public" // all scopes, no secret
  | "readOnly"; // read:donations, and one redirect URI

/** The streamers who approve clients: those of the keys `main` and `other`. */
export type Handle = "main" | "other";

/** What a streamer enters into the login page. */
export type Login = { handle: string; password: string };

/** Registered clients, the streamers who approve them and how, and the files of seen secrets and logs. */
export type OAuth = {
  clients: Partial<Record<ClientHolder, Client>>;
  /** Logins for the server's own pages, where the suite may use them. */
  logins: Partial<Record<Handle, Login>>;
  /** Shell command that approves an authorization request as the streamer; null: the suite uses the pages, or asks on the terminal. */
  loginCommand: string | null;
  /** Whether somebody at the terminal can approve. */
  terminal: boolean;
  /** File with every secret that the suite has seen, a line each. */
  secrets: string;
  /** Folder with a log of each server. */
  logs: string;
};

/** A server with the credentials of the suite; null: this run has none of that kind. */
export type Served = {
  url: string;
  keys: Record<Holder, string | null> & { main: string };
  /** A client for the OAuth endpoints of any server. */
  client: Pick<Client, "id" | "secret"> | null;
  operator: Operator | null;
  oauth: OAuth | null;
};

/** The server under test with the settings of this run. */
export type Target = Served & {
  seed: number;
  path: string | null;
  depth: Depth;
  /** What a character of a text is when its length is judged (interface 2.1). */
  lengthUnit: LengthUnit;
  /** What the run would try if the server did not limit the rate, and what it tries. */
  wanted: Sample;
  sample: Sample;
  /** Whether a failing value is shrunk. The further seeds of a mutant only ask whether a rule fails. */
  shrinks: boolean;
  /** Requests per second where the server limits the rate; null: no limit. */
  pace: number | null;
  limits: TimeLimits;
  /** The time of each rule file; null: no limit. */
  slots: Record<string, TimeSlot> | null;
  /** Whether the server is not ours: what is recorded there stays there. */
  foreign: boolean;
  /** Where a server of someone else delivers webhooks, and the port of this machine that this leads to; null: it has no such address. */
  receiver: { url: string; port: number } | null;
  /** Part of every idempotency key and identifier, so that runs do not share any; independent of the seed. */
  runId: string;
  /** File for every request with its answer, one line each; null: none. */
  requests: string | null;
  /** Folder of counterexamples of earlier runs; null: none are kept. */
  corpus: string | null;
  /** What keeps the run from changing a server of someone else; null: ours. */
  protection: Protection | null;
  /** Size of this file in bytes at which further requests are left out. */
  maxRequestBytes: number;
};

/** Name of a file in the folder of logs that says that all rule files but the last have finished. */
export const othersFinished = "others-over";

declare module "vitest" {
  interface ProvidedContext {
    /** One server for each worker. */
    targets: Target[];
  }
}

/** The environment variable with each holder's key, for a server at `API_URL`. */
export const keyVariables: Record<Holder, string> = {
  main: "API_KEY",
  secondApplication: "SECOND_APPLICATION_API_KEY",
  readOnly: "READ_API_KEY",
  writeOnly: "WRITE_API_KEY",
  other: "OTHER_API_KEY",
  quiet: "QUIET_API_KEY",
  overlay: "OVERLAY_KEY",
  otherOverlay: "OTHER_OVERLAY_KEY",
};

let explicitTarget: Target | null = null;

/** The server under test, for code outside of vitest's workers. */
export function useTarget(target: Target): void {
  explicitTarget = target;
}

export const target = (): Target => explicitTarget ?? ofThisWorker();

/** Clients and logins of this run; throws where it has none. */
export function oauth(): OAuth {
  const found = target().oauth;
  if (!found) throw new Error("this rule needs clients: beforeEach(needsClients)");
  return found;
}

/** Every server of the run, those of other workers included. */
export const allTargets = (): Target[] => (explicitTarget ? [explicitTarget] : inject("targets"));

function ofThisWorker(): Target {
  const targets = inject("targets");
  worker ??= Number(process.env.VITEST_POOL_ID ?? 1) - 1;
  return targets[worker % targets.length] as Target;
}

/** Index of this worker; read once, because every request asks for it and reading the environment is slow. */
let worker: number | undefined;

/** Which commands of a counterexample were run, in fast-check's notation: the part of `SEED` after @. */
export const replayedSteps = (): string | undefined => target().path?.split("@")[1];

/** The holder's key; skips the test with a reason where this run has none. */
export const keyOf = (context: TestContext, holder: Holder): string =>
  target().keys[holder] ?? context.skip(`not run: ${keyVariables[holder]} is not set`);

/** The operator's access; skips the test where the server is not ours. */
export const operatorOf = (context: TestContext): Operator =>
  target().operator ?? context.skip("not run: needs the operator's CLI, and the server is not one that the suite has started");

// What a run against someone else's server must know in order to leave it as it was.

/** The streamers whose state the rules change, by the holder of their key with all scopes. */
export const protectedHolders = ["main", "other"] as const;

/** What the API lets a client change of a streamer, apart from donations and the alerts that wait. */
export type AlertState = {
  /** The members that `updateAlertSettings` takes. */
  settings: Record<string, unknown>;
  paused: boolean;
  /** Whether everything is hidden on stream. */
  hidden: boolean;
  /** Null or missing: the server shows none. */
  timer?: TimerState | null;
};

/** `status` as the contract has it. */
export type TimerState = { status: string; rules: Record<string, unknown> };

export type ProtectedStreamer = {
  holder: (typeof protectedHolders)[number];
  key: string;
  /** As the run found it; null: it could not be read. */
  found: AlertState | null;
  /** Why alerts, queue and settings are left alone; null: rules may change them. */
  refusal: string | null;
  /** File with what the suite has changed (client/protection/own.ts). */
  journal: string;
};

export type Protection = {
  /** Sends nothing that may change anything (`--read-only`). */
  readOnly: boolean;
  /** Also where alerts wait that are not the suite's own (`--may-disturb-alerts`). */
  mayDisturbAlerts: boolean;
  streamers: ProtectedStreamer[];
};
