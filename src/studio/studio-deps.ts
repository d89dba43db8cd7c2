// What the streamer's pages are made of: other rooms' doings, handed over by app.ts.

import type { Site } from "../http/base-url.ts";
import type { Bounds } from "../http/contract.ts";
import type { Schemas, Scope } from "../http/operations.ts";
import type { PageHandler, PageReply } from "../ui/serve-pages.ts";

/** Somebody who is logged in, with the sealed transactions that their forms carry. */
export type Account = Readonly<{ streamer: Readonly<{ id: string; handle: string }>; transaction: string; logout: string }>;

/** Sessions and forms, as the oauth room keeps them. */
export type Accounts = Readonly<{
  site: Site;
  /** A page for whoever is logged in; strangers are sent to log in and come back to `here`. */
  page: (here: string, show: (visit: { account: Account; query: URLSearchParams }) => Promise<PageReply>) => PageHandler;
  /** A form of such a page, refused unless a page made it for this session. */
  form: (here: string, handle: (entry: { account: Account; form: URLSearchParams }) => Promise<PageReply>) => PageHandler;
}>;

export type Queue = Schemas["AlertQueue"];
export type QueuedPlayback = Schemas["QueuedPlayback"];
export type Donation = Schemas["Donation"];
export type Settings = Schemas["AlertSettings"];

export const controls = ["pause", "resume", "skip", "clear"] as const;
export type Control = (typeof controls)[number];

/** The streamer's alerts. What the contract refuses is thrown as a Problem: validation_failed, alert_state_conflict, alert_not_found. */
export type Alerts = Readonly<{
  queue: (streamerId: string) => Promise<Queue>;
  control: (streamerId: string, control: Control) => Promise<void>;
  replay: (streamerId: string, donationId: string) => Promise<void>;
  /** Members are checked, so they may be anything. */
  sendTest: (streamerId: string, alert: Readonly<Record<string, unknown>>) => Promise<void>;
  settings: (streamerId: string) => Promise<Settings>;
  change: (streamerId: string, settings: Readonly<Record<string, unknown>>) => Promise<void>;
  /** The ten recorded last, test donations included, newest first. */
  latest: (streamerId: string) => Promise<readonly Donation[]>;
}>;

export type OverlayKeys = Readonly<{
  /** When the live key was made; null: there is none. */
  madeAt: (streamerId: string) => Promise<Date | null>;
  /** Makes a key and revokes the one before. Returns it: the only time it is seen. */
  replace: (streamerId: string) => Promise<string>;
}>;

/** An API key as its owner sees it: never the key itself. */
export type ApiKey = Readonly<{
  id: string;
  publicId: string;
  application: string;
  name: string;
  scopes: readonly Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}>;

export type NewApiKey = Readonly<{ streamerId: string; application: string; name: string; scopes: readonly Scope[]; expiresAt?: Date }>;

export type ApiKeys = Readonly<{
  /** Returns the key: the only time it is seen. Throws TooManyKeys. */
  create: (key: NewApiKey) => Promise<string>;
  /** Oldest first, revoked ones included. */
  list: (streamerId: string) => Promise<readonly ApiKey[]>;
  /** Of this streamer only. False: no such key, or already revoked. */
  revoke: (streamerId: string, keyId: string) => Promise<boolean>;
}>;

export type StudioParts = Readonly<{
  accounts: Accounts;
  alerts: Alerts;
  overlayKeys: OverlayKeys;
  apiKeys: ApiKeys;
  /** Every scope there is. */
  scopes: readonly Scope[];
  /** What the contract says of a member of one of its schemas. */
  bounds: (schema: string, member: string) => Bounds;
  now: () => number;
}>;
