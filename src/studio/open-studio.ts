// Opens the streamer's own pages.

import type { AlertFiles } from "../alerts/media/alert-files.ts";
import type { OverlayService } from "../alerts/open-alerts.ts";
import { findHeld } from "../alerts/queue/approval.ts";
import { readActive } from "../alerts/queue/playbacks.ts";
import { readQueueState } from "../alerts/queue/read-queue.ts";
import { apiKeyStore, ensureApplication } from "../auth/api-keys.ts";
import type { Credentials } from "../auth/credentials.ts";
import { overlayKeyStore } from "../auth/overlay-keys.ts";
import { findVoidNotes } from "../corrections/void-donations.ts";
import type { Database } from "../db/database.ts";
import { findDonatorNote, saveDonatorNote } from "../donations/donator-notes.ts";
import type { SumFound } from "../donations/list/sum-found.ts";
import type { EventsService } from "../events/open-events.ts";
import { webhookApplications } from "../events/webhooks/endpoints.ts";
import type { Contract } from "../http/contract/contract.ts";
import type { Handlers } from "../http/operations.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import type { OAuthService } from "../oauth/open-oauth.ts";
import type { PageRoutes } from "../ui/serve-pages.ts";
import { findStory } from "./donations/find-story.ts";
import { openFirstSteps } from "./home/first-steps.ts";
import type { Imports } from "./imports/open-file-imports.ts";
import { withOverall } from "./overall.ts";
import type { Privacy } from "./privacy/open-privacy.ts";
import { studioPages } from "./routes.ts";
import { type StreamerClient, streamerClient } from "./streamer-client.ts";
import type { DonationReads, OverlayKeys, StudioDeps } from "./studio-deps.ts";
import { ownWebhooks } from "./webhooks/own-webhooks.ts";

type StudioServices = Readonly<{
  imports: Imports;
  privacy: Privacy;
  alertFiles: AlertFiles;
  speech: StudioDeps["speech"];
  knex: Database["knex"];
  brand: string;
  contract: Contract;
  handlers: Handlers;
  limits: Limits;
  credentials: Credentials;
  oauth: OAuthService;
  sumFound: SumFound;
  ofDonator: DonationReads["ofDonator"];
  findStanding: DonationReads["standing"];
  webhooks: EventsService["webhooks"];
  overlay: OverlayService;
}>;

export function openStudio(deps: StudioServices): PageRoutes {
  const { knex, brand, oauth } = deps;
  const client = streamerClient({ ...deps, studioApplication: (streamerId) => ensureApplication(knex, streamerId, "studio") });
  return studioPages({
    accounts: withOverall(oauth.accounts, (streamerId) => readQueueState(knex, streamerId)),
    selfService: oauth.selfService,
    apps: oauth.ownClients,
    client,
    donations: donationReads(deps, client),
    firstSteps: openFirstSteps(knex),
    activePlayback: (streamerId) => readActive(knex, streamerId),
    overlayKeys: overlayKeys(deps),
    apiKeys: apiKeyStore(knex, brand),
    catchUp: deps.credentials.catchUp,
    webhooks: ownWebhooks(client, deps.webhooks, (streamerId) => webhookApplications(knex, streamerId)),
    imports: deps.imports,
    privacy: deps.privacy,
    alertFiles: deps.alertFiles,
    speech: deps.speech,
    now: Date.now,
  });
}

function donationReads({ knex, sumFound, ofDonator, findStanding }: StudioServices, client: StreamerClient): DonationReads {
  return {
    // Counts like a page of what it adds up.
    sum: async (streamerId, query, from) => {
      const id = "q" in query ? "searchDonations" : "listDonations";
      await client.spend(streamerId, id);
      return sumFound(streamerId, { query: client.check(id, { query }).query, from });
    },
    voidNotes: (streamerId, donationIds) => findVoidNotes(knex, streamerId, donationIds),
    held: (streamerId, donationIds) => findHeld(knex, streamerId, donationIds),
    ofDonator,
    standing: findStanding,
    note: (streamerId, donatorKey) => findDonatorNote(knex, streamerId, donatorKey),
    saveNote: (streamerId, donatorKey, note) => saveDonatorNote(knex, streamerId, { donatorKey, note }),
    story: (streamerId, donationId) => findStory(knex, streamerId, donationId),
  };
}

function overlayKeys({ knex, brand, overlay }: StudioServices): OverlayKeys {
  const overlayKeys = overlayKeyStore(knex, brand);
  /** Open pages with the key are told of a change. */
  const telling = async (streamerId: string, change: (alsoWrite: (trx: Database["knex"]) => Promise<unknown>) => Promise<boolean>) => {
    const isChanged = await change((trx) => overlay.noteWidgetChange(trx, streamerId));
    if (isChanged) overlay.changed(streamerId);
    return isChanged;
  };
  return {
    ...overlayKeys,
    changeWidget: (streamerId, keyId, change) =>
      telling(streamerId, (alsoWrite) => overlayKeys.changeWidget(streamerId, keyId, { ...change, alsoWrite })),
    changeSound: (streamerId, keyId, sound) =>
      telling(streamerId, (alsoWrite) => overlayKeys.changeSound(streamerId, keyId, { sound, alsoWrite })),
  };
}
