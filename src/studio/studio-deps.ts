// What the studio needs of other folders; app.ts passes it in.

import type { Bounds } from "../http/contract/contract.ts";
import { enumOf } from "../http/contract/published.ts";
import type { Schemas, Scope } from "../http/operations.ts";
import type { Accounts } from "../ui/accounts.ts";
import type { FileReply } from "../ui/serve-pages.ts";
import type { SelfService } from "./account/self-service.ts";
import type { Apps } from "./apps/own-apps.ts";

export type Queue = Schemas["AlertQueue"];
export type QueuedPlayback = Schemas["QueuedPlayback"];
export type Donation = Schemas["Donation"];
export type VoidReason = Schemas["VoidReason"];
export type Settings = Schemas["AlertSettings"];

// In the order of the contract.
export const voidReasons = enumOf("VoidReason");
export const channels = enumOf("Channel");
export const sources = enumOf("Source");

export const controls = ["pause", "resume", "skip", "clear", "hide", "unhide"] as const;
export type Control = (typeof controls)[number];

export const decisions = ["approve", "mask", "deny"] as const;
export type Decision = (typeof decisions)[number];

// In the order of the contract.
export const blockedWordActions = enumOf("BlockedWordAction");
export const approvals = enumOf("Approval");
export const approvalTimeouts = enumOf("ApprovalTimeout");

/** The streamer's alerts. Throws the contract's Problems: validation_failed, alert_state_conflict, alert_not_found. */
export type Alerts = Readonly<{
  queue: (streamerId: string) => Promise<Queue>;
  control: (streamerId: string, control: Control) => Promise<void>;
  replay: (streamerId: string, donationId: string) => Promise<void>;
  /** Decides about a held alert. */
  decide: (streamerId: string, donationId: string, decision: Decision) => Promise<void>;
  /** The contract checks the members, so they may have any value. */
  sendTest: (streamerId: string, alert: Readonly<Record<string, unknown>>) => Promise<void>;
  settings: (streamerId: string) => Promise<Settings>;
  change: (streamerId: string, settings: Readonly<Record<string, unknown>>) => Promise<void>;
  /** The ten donations with the latest `createdAt`, including test donations and void ones, latest first. */
  latest: (streamerId: string) => Promise<readonly Donation[]>;
  /** The notes that were written beside void donations, by donation id; a donation without one is missing. */
  voidNotes: (streamerId: string, donationIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Throws donation_not_found. */
  donation: (streamerId: string, donationId: string) => Promise<Donation>;
  /** Takes a donation back. The contract checks the members. Throws donation_not_found and already_voided as well. */
  void: (streamerId: string, donationId: string, request: Readonly<Record<string, unknown>>) => Promise<void>;
}>;

/** Values of an operation's parameters, of any kind: the contract checks them. */
export type Query = Readonly<Record<string, unknown>>;

/** What came in, by the contract's operations. Throws validation_failed. */
export type Reports = Readonly<{
  stats: (streamerId: string, query: Query) => Promise<Schemas["DonationStats"]>;
  amountTrends: (streamerId: string, query: Query) => Promise<Schemas["AmountTrends"]>;
  topDonators: (streamerId: string, query: Query) => Promise<Schemas["TopDonators"]>;
  channels: (streamerId: string, query: Query) => Promise<Schemas["ChannelBreakdown"]>;
}>;

/** The streamer's donations, by the contract's operations. Throws validation_failed, invalid_cursor. */
export type History = Readonly<{
  list: (streamerId: string, query: Query) => Promise<Schemas["DonationPage"]>;
  search: (streamerId: string, query: Query) => Promise<Schemas["DonationPage"]>;
  /** A workbook of all donations that pass. Throws rate_limited as well: one at a time. */
  export: (streamerId: string, query: Query) => Promise<FileReply>;
}>;

/** An overlay key that works, without its secret. */
export type OverlayKey = Readonly<{ id: string; publicId: string; name: string; createdAt: Date; lastUsedAt: Date | null }>;

export type OverlayKeys = Readonly<{
  /** Those that work, oldest first. */
  list: (streamerId: string) => Promise<readonly OverlayKey[]>;
  /** Creates a further key. Resolves to the key, which is never shown again. Throws TooManyKeys. */
  create: (streamerId: string, name: string) => Promise<string>;
  /** Revokes a key of this streamer. False when there is no such key or it was revoked before. */
  revoke: (streamerId: string, keyId: string) => Promise<boolean>;
}>;

/** An API key as its owner sees it, without its secret. */
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
  /** Resolves to the key, which is never shown again. Throws TooManyKeys. */
  create: (key: NewApiKey) => Promise<string>;
  /** Oldest first, revoked ones included. */
  list: (streamerId: string) => Promise<readonly ApiKey[]>;
  /** Revokes a key of this streamer. False when there is no such key or it was revoked before. */
  revoke: (streamerId: string, keyId: string) => Promise<boolean>;
}>;

export type Webhook = Schemas["Webhook"];
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
export type WebhookAttempt = Schemas["WebhookAttempt"];
export type WebhookTested = Schemas["WebhookTested"];
export type EventType = Schemas["EventType"];

export type WebhookApplication = Readonly<{
  id: string;
  name: string;
  /** False for somebody else's application, whose endpoints are only shown. */
  isOwn: boolean;
  /** Of its live credentials together; empty when it has none. */
  scopes: readonly Scope[];
}>;

/** The streamer's webhook endpoints. Throws the contract's Problems; webhook_not_found for an endpoint that is not the streamer's own. */
export type Webhooks = Readonly<{
  /** All applications that have endpoints, and own ones that could have some. */
  list: (streamerId: string) => Promise<readonly Readonly<{ application: WebhookApplication; webhooks: readonly Webhook[] }>[]>;
  find: (streamerId: string, webhookId: string) => Promise<Readonly<{ application: WebhookApplication; webhook: Webhook }>>;
  /** Resolves to the endpoint with its secret, which is never shown again. The contract checks the members of `webhook`. */
  create: (streamerId: string, applicationId: string, webhook: Readonly<Record<string, unknown>>) => Promise<WebhookWithSecret>;
  change: (streamerId: string, webhookId: string, change: Readonly<Record<string, unknown>>) => Promise<void>;
  remove: (streamerId: string, webhookId: string) => Promise<void>;
  /** Resolves to the endpoint with its new secret, which is never shown again. */
  rotate: (streamerId: string, webhookId: string) => Promise<WebhookWithSecret>;
  /** Sends an example of an event and waits for the answer, 15 seconds at most. */
  test: (streamerId: string, webhookId: string) => Promise<WebhookTested>;
  deliveries: (streamerId: string, webhookId: string, query: Readonly<Record<string, unknown>>) => Promise<Schemas["WebhookDeliveryPage"]>;
  /** Sends what did not arrive since an instant (RFC 3339) again. Resolves to the number of events. */
  recover: (streamerId: string, webhookId: string, since: string) => Promise<number>;
  redeliver: (streamerId: string, webhookId: string, deliveryId: string) => Promise<void>;
}>;

/** Counts of rows. In a check `recorded` is how many would be recorded. `voided`: they are void in the file, and are left out. */
export type ImportCounts = Readonly<{ rows: number; recorded: number; recordedBefore: number; voided: number; faulty: number }>;

/** `place`: of the row in its file, such as `row 7`. */
export type RowFault = Readonly<{ place: string; fault: string }>;

const sentMembers = ["createdAt", "donatorName", "amount", "currency", "message", "identifier", "idempotencyKey"] as const;

/** What a column of a file can be. The last four are in exports of this service alone. */
export const importMembers = [...sentMembers, "channel", "source", "donationId", "voidedAt"] as const;
export type ImportMember = (typeof importMembers)[number];

/** Members of a donation that no column of a file can be, each with the reason. One that is missing here and above does not compile. */
export const notImported = {
  skipAlert: "a donation of a file raises no alert",
} satisfies Record<Exclude<keyof Schemas["ExternalDonation"], ImportMember>, string>;

/** `places`: of members among the columns, from 0; null: as the names of the columns say. `timezone`: of times that have none. */
export type Upload = Readonly<{
  name: string;
  bytes: Buffer;
  places: Readonly<Partial<Record<ImportMember, number>>> | null;
  timezone: string;
}>;

/**
 * `preview` is null for a file without columns. `headerZone`: the time zone that the header names, which comes before the upload's. `counts` is
 * null while columns are missing, and when the file is `unreadable`: why.
 */
export type CheckedUpload = Readonly<{
  preview: Readonly<{
    columns: readonly Readonly<{ title: string; member: ImportMember | null }>[];
    /** The first rows, shortened. */
    rows: readonly (readonly string[])[];
  }> | null;
  headerZone: string | null;
  counts: ImportCounts | null;
  /** The first rows at fault. */
  faults: readonly RowFault[];
  unreadable: string | null;
}>;

/** `name`: of the file; null: brought along by the API. Times in milliseconds since 1970. */
export type ImportSummary = Readonly<{ id: string; name: string | null; startedAt: number; undoneAt: number | null; donations: number }>;

export type ImportProgress = Readonly<{
  state: "running" | "done" | "stopped";
  counts: ImportCounts;
  faults: readonly RowFault[];
  /** Why it stopped, if that is known. */
  failure: string | null;
}>;

/** The streamer's imports. Ids may have any form: of what is not one there is no import. */
export type Imports = Readonly<{
  /** Records nothing. Throws rate_limited while other files are read. */
  check: (streamerId: string, upload: Upload) => Promise<CheckedUpload>;
  /** Begins to import, and resolves to the import's id. Throws rate_limited, as `check`. */
  start: (streamerId: string, upload: Upload) => Promise<string>;
  /** Of a file that was uploaded; null when there is no such import. */
  findProgress: (streamerId: string, importId: string) => Promise<ImportProgress | null>;
  find: (streamerId: string, importId: string) => Promise<ImportSummary | null>;
  /** The latest that recorded anything, newest first. */
  list: (streamerId: string) => Promise<readonly ImportSummary[]>;
  /** Voids every donation of the import. Resolves to how many; null when there is no such import. */
  undo: (streamerId: string, importId: string) => Promise<number | null>;
}>;

/** Whom to erase, as members of the contract's DonatorErasure: `identifier` or `donatorName`. */
export type Donator = Readonly<Record<string, string>>;

/** Donations of a donator. Times of the first and the last in milliseconds since 1970; null without donations. */
export type DonatorFound = Readonly<{ donations: number; firstAt: number | null; lastAt: number | null }>;

/** An erasure of one donator. Times in milliseconds since 1970; `finishedAt` is null while it goes on. `donations`: erased so far. */
export type Erasure = Readonly<{ id: string; beganAt: number; finishedAt: number | null; donations: number }>;

/** Erasure and retention of the streamer's donations. */
export type Privacy = Readonly<{
  /** What an erasure would erase now. Throws validation_failed, as `erase` does. */
  check: (streamerId: string, donator: Donator) => Promise<DonatorFound>;
  /**
   * Erases a donator, once for an id. Resolves when that is finished, or while it goes on after some seconds. Throws unavailable when the
   * donations are locked; what is left of an erasure that has begun is erased later all the same.
   */
  erase: (streamerId: string, donator: Donator, id: string) => Promise<void>;
  /** Ids may have any form: of what is not one there is no erasure. */
  find: (streamerId: string, id: string) => Promise<Erasure | null>;
  /** The latest, newest first. */
  list: (streamerId: string) => Promise<readonly Erasure[]>;
  /** For how many days donations keep what their donators wrote; null: for ever. */
  retention: (streamerId: string) => Promise<number | null>;
  /** How many donations would be erased now with this setting. */
  countAged: (streamerId: string, days: number) => Promise<number>;
  /** Throws validation_failed. */
  setRetention: (streamerId: string, days: number | null) => Promise<void>;
  maxRetentionDays: number;
}>;

/** An image or a sound that was uploaded. Sizes in bytes and pixels. */
export type AlertFile = Readonly<{
  id: string;
  kind: "image" | "sound";
  mime: string;
  name: string;
  size: number;
  width: number | null;
  height: number | null;
}>;

export const fileRefusals = ["empty", "too_large", "no_room", "unsupported", "broken", "active_content", "too_many_pixels"] as const;
export type FileRefusal = (typeof fileRefusals)[number];

/** The streamer's images and sounds. Ids may have any form: of what is not one there is no file. */
export type AlertFiles = Readonly<{
  /** Newest first. */
  list: (streamerId: string) => Promise<readonly AlertFile[]>;
  /** The type is judged by the content. */
  add: (streamerId: string, file: Readonly<{ name: string; bytes: Buffer }>) => Promise<{ id: string } | { refused: FileRefusal }>;
  /** A file that a variation uses is not deleted. */
  remove: (streamerId: string, fileId: string) => Promise<"removed" | "unknown" | "in_use">;
}>;

/** A voice of the speech engine: the name that a variation takes, and its language in words. */
export type Voice = Readonly<{ name: string; language: string }>;

export type StudioDeps = Readonly<{
  accounts: Accounts;
  selfService: SelfService;
  alerts: Alerts;
  reports: Reports;
  history: History;
  overlayKeys: OverlayKeys;
  apiKeys: ApiKeys;
  apps: Apps;
  webhooks: Webhooks;
  imports: Imports;
  privacy: Privacy;
  alertFiles: AlertFiles;
  /** None where alerts are not spoken, or by an engine that names none. */
  voices: () => Promise<readonly Voice[]>;
  /** All scopes of the contract. */
  scopes: readonly Scope[];
  /** The bounds that the contract gives a member of a schema. */
  bounds: (schema: string, member: string) => Bounds;
  now: () => number;
}>;
