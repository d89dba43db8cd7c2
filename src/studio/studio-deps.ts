// What the pages of the studio are opened with.

import type { AlertFiles } from "../alerts/media/alert-files.ts";
import type { StoredPlayback } from "../alerts/queue/playbacks.ts";
import type { ApiKeys } from "../auth/api-keys.ts";
import type { KeySound, KeyWidget, OverlayKeys as OverlayKeyStore } from "../auth/overlay-keys.ts";
import type { DonationsOfDonator } from "../donations/list/of-donator.ts";
import type { SumStep } from "../donations/list/sum-found.ts";
import type { SelfService } from "../oauth/accounts/self-service.ts";
import type { OwnClients } from "../oauth/clients/own-clients.ts";
import type { FindStanding } from "../reports/donator-standing.ts";
import type { Accounts } from "../ui/streamer-pages.ts";
import type { EngineFacts } from "./components/voice-field.ts";
import type { SpeakSample } from "./designer/samples.ts";
import type { DonationStep } from "./donations/find-story.ts";
import type { Imports } from "./imports/open-file-imports.ts";
import type { Privacy } from "./privacy/open-privacy.ts";
import type { Query, StreamerClient } from "./streamer-client.ts";
import type { OwnWebhooks } from "./webhooks/own-webhooks.ts";

export type OverlayKeys = Pick<OverlayKeyStore, "list" | "create" | "revoke"> &
  Readonly<{
    /**
     * Changes the widget of a key of this streamer, whose open pages follow. False when it is not `from` any more, and when there is no such
     * key or it was revoked.
     */
    changeWidget: (streamerId: string, keyId: string, change: Readonly<{ from: KeyWidget; to: KeyWidget }>) => Promise<boolean>;
    /** Changes when the pages of a key play sound, on open pages as well. False when there is no such key. */
    changeSound: (streamerId: string, keyId: string, sound: KeySound) => Promise<boolean>;
  }>;

/** What no operation of the contract tells of a streamer's donations. */
export type DonationReads = Readonly<{
  /** The sum of all donations that pass, step by step. Throws invalid_cursor and rate_limited. `from`: `next` of the step before, or null. */
  sum: (streamerId: string, query: Query, from: string | null) => Promise<SumStep>;
  /** The notes that were written beside void donations, by donation id; a donation without one is missing. */
  voidNotes: (streamerId: string, donationIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The ids of those of these donations whose alerts are held until somebody, or a time-out, decides. */
  held: (streamerId: string, donationIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** A page of all donations of a donator, the latest first. Throws invalid_cursor. */
  ofDonator: DonationsOfDonator;
  /** What a donator has given; null when nothing of it counts. */
  standing: FindStanding;
  /** The streamer's own note about a donator; empty for none. */
  note: (streamerId: string, donatorKey: string) => Promise<string>;
  saveNote: (streamerId: string, donatorKey: string, note: string) => Promise<void>;
  /** What happened to a donation since it was recorded, oldest first. */
  story: (streamerId: string, donationId: string) => Promise<readonly DonationStep[]>;
}>;

export type StudioDeps = Readonly<{
  accounts: Accounts;
  selfService: SelfService;
  client: StreamerClient;
  donations: DonationReads;
  /** Whether the streamer's list of first steps is over, and what ends it for good. */
  firstSteps: Readonly<{ areOver: (streamerId: string) => Promise<boolean>; end: (streamerId: string) => Promise<unknown> }>;
  /** The playback that was handed to the overlay; null when there is none. */
  activePlayback: (streamerId: string) => Promise<StoredPlayback | null>;
  overlayKeys: OverlayKeys;
  apiKeys: Pick<ApiKeys, "create" | "list" | "revoke">;
  /** Resolves when this process refuses what was revoked before. */
  catchUp: () => Promise<unknown>;
  apps: OwnClients;
  webhooks: OwnWebhooks;
  imports: Imports;
  privacy: Privacy;
  alertFiles: Pick<AlertFiles, "list" | "add" | "remove">;
  speech: EngineFacts & Readonly<{ sample: SpeakSample }>;
  now: () => number;
}>;
