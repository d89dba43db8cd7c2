// Opens the streamer's own pages with what other folders provide for them.

import type { OverlayService } from "../alerts/open-overlay.ts";
import { findHeld } from "../alerts/store/approval/held-alerts.ts";
import { apiKeyStore, ensureApplication } from "../auth/api-keys.ts";
import type { Credentials } from "../auth/credentials.ts";
import { overlayKeyStore } from "../auth/overlay-keys.ts";
import { findVoidNotes } from "../corrections/void-notes.ts";
import type { Database } from "../db/database.ts";
import type { SumFound } from "../donations/list/sum-found.ts";
import type { EventsService } from "../events/open-events.ts";
import { webhookApplications } from "../events/webhooks/endpoints/applications.ts";
import { boundsOf } from "../http/contract/bounds.ts";
import type { Contract } from "../http/contract/contract.ts";
import { checkCall, makeInvoke } from "../http/invoke.ts";
import type { Handlers } from "../http/operations.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import type { OAuthService } from "../oauth/open-oauth.ts";
import type { PageRoutes } from "../ui/serve-pages.ts";
import { contractAlerts } from "./alerts/alerts-by-contract.ts";
import { type CheckCall, callAsStreamer, pagesOf, type SpendToken, withinLimits } from "./call-as-streamer.ts";
import { findStory } from "./donations/find-story.ts";
import { contractHistory } from "./donations/history-by-contract.ts";
import { contractReports } from "./money/reports-by-contract.ts";
import { studioPages } from "./routes.ts";
import type { StudioDeps } from "./studio-deps.ts";
import { contractWebhooks } from "./webhooks/webhooks-by-contract.ts";

type OpenStudioDeps = {
  knex: Database["knex"];
  brand: string;
  contract: Contract;
  handlers: Handlers;
  limits: Pick<Limits, "spend">;
  credentials: Pick<Credentials, "catchUp">;
  accounts: OAuthService["accounts"];
  selfService: OAuthService["selfService"];
  ownClients: OAuthService["ownClients"];
  sumFound: SumFound;
  imports: StudioDeps["imports"];
  privacy: StudioDeps["privacy"];
  alertFiles: StudioDeps["alertFiles"];
  speech: StudioDeps["speech"];
  webhooks: Pick<EventsService["webhooks"], "rotate" | "findRefusals">;
  overlay: Pick<OverlayService, "noteWidgetChange" | "changed">;
};

/** A page that revokes a key answers only when this process refuses that key. */
export function openStudio({
  knex,
  brand,
  contract,
  handlers,
  limits,
  credentials,
  accounts,
  selfService,
  ownClients: ownApps,
  sumFound,
  imports,
  privacy,
  alertFiles,
  speech,
  webhooks,
  overlay,
}: OpenStudioDeps): PageRoutes {
  const { catchUp } = credentials;
  const [apiKeys, overlayKeys] = [apiKeyStore(knex, brand), overlayKeyStore(knex, brand)];
  const { scopes, schemas } = contract;
  const invoke = makeInvoke(contract, handlers);
  const as = callAsStreamer(invoke, scopes);
  const spend = spendOn(contract, limits);
  const asReader = withinLimits(as, spend);
  const check: CheckCall = (id, call) => void checkCall(contract, id, call);
  const andCatchUp = async <Result>(change: Promise<Result>) => {
    const result = await change;
    await catchUp();
    return result;
  };
  return studioPages({
    accounts,
    selfService,
    alerts: contractAlerts({
      as,
      check,
      application: (id) => ensureApplication(knex, id, "studio"),
      own: {
        voidNotes: (streamerId, donationIds) => findVoidNotes(knex, streamerId, donationIds),
        held: (streamerId, donationIds) => findHeld(knex, streamerId, donationIds),
        story: (streamerId, donationId) => findStory(knex, streamerId, donationId),
      },
    }),
    reports: contractReports(asReader),
    history: {
      ...contractHistory(asReader, check),
      // Counts like a page of what it adds up.
      sum: async (streamerId, query, from) => {
        const id = "q" in query ? "searchDonations" : "listDonations";
        await spend(id, pagesOf(streamerId));
        return sumFound(streamerId, { query: checkCall(contract, id, { query }).query, from });
      },
    },
    overlayKeys: {
      ...overlayKeys,
      changeWidget: async (streamerId, keyId, change) => {
        const alsoWrite = (trx: Database["knex"]) => overlay.noteWidgetChange(trx, streamerId);
        const isChanged = await overlayKeys.changeWidget(streamerId, keyId, { ...change, alsoWrite });
        if (isChanged) overlay.changed(streamerId);
        return isChanged;
      },
      revoke: (streamerId, keyId) => andCatchUp(overlayKeys.revoke(keyId, streamerId)),
    },
    apiKeys: { ...apiKeys, revoke: (streamerId, keyId) => andCatchUp(apiKeys.revoke(keyId, streamerId)) },
    apps: {
      ...ownApps,
      remove: (streamerId, clientId) => andCatchUp(ownApps.remove(streamerId, clientId)),
    },
    webhooks: contractWebhooks({ ...webhooks, invoke, applications: (id) => webhookApplications(knex, id) }),
    imports,
    privacy,
    alertFiles,
    speech,
    scopes,
    bounds: (schema, member) => boundsOf(schemas[schema]?.properties?.[member]),
    now: Date.now,
  });
}

function spendOn({ operations }: Pick<Contract, "operations">, { spend }: Pick<Limits, "spend">): SpendToken {
  const limits = new Map(operations.map(({ id, limit }) => [id, limit]));
  return (id, key) => {
    const limit = limits.get(id);
    return limit ? spend(limit, key) : undefined;
  };
}
