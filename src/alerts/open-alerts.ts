// Opens the alerts: overlays and widgets, their media and speech, and the notifier of other processes.

import type { Knex } from "knex";
import type { Credentials } from "../auth/credentials.ts";
import { summedIn } from "../base/summed-currency.ts";
import type { ProcessDeps } from "../db/database.ts";
import { pools } from "../db/pools.ts";
import { newDonation, toRecord } from "../donations/donation.ts";
import type { Writer } from "../donations/record/writer.ts";
import type { DonationStore } from "../donations/store.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import { openNotifier } from "../notifier/open-notifier.ts";
import { speechEngine, speechState, voiceList } from "../speech/choose-speaker.ts";
import { openSpeech } from "../speech/speech-cache.ts";
import { openAlertFiles } from "./media/alert-files.ts";
import * as media from "./media/handlers.ts";
import { openOverlay } from "./open-overlay.ts";
import { readWidgets } from "./widgets/read-widgets.ts";

type AlertSources = {
  credentials: Credentials;
  writer: Writer;
  donations: DonationStore;
  reportReads: Knex;
  pagesKnex: Knex;
  limits: Limits;
};

/** `close` lets pages go, then stops the notifier and the speech. */
export function openAlerts(
  { config, database, log, metrics }: ProcessDeps,
  { credentials, writer, donations, reportReads, pagesKnex, limits }: AlertSources,
) {
  const notifier = openNotifier(config, config.listenDatabaseUrl ?? database.url, log);
  const engine = speechEngine(config.tts, log);
  void engine.find(); // the log says at the start what speaks
  const speech = openSpeech({ engine, knex: database.pool(pools.speech), log });
  const overlay = openOverlay({
    knex: database.pool(pools.overlay),
    log,
    notifier,
    speech: engine.isOn ? speech : null,
    revokedAmong: credentials.overlayKeys.revokedAmong,
    widgetsOfKeys: credentials.overlayKeys.widgetsOf,
    recordUse: credentials.recordOverlayUse,
    readWidgets: readWidgets(reportReads, donations),
    recordTest: async (by, test) => {
      const input = { ...test, currency: summedIn, skipAlert: false } as const;
      const { donation } = await writer.record(newDonation(input, by, { source: "test", channel: "other" }));
      return toRecord(donation, by.applicationId);
    },
  });
  credentials.onChange(overlay.credentialsChanged);
  metrics.gauge("overlay_connections", "Overlay and widget connections of this process.", overlay.connected);
  metrics.databaseGauge({
    name: "alert_queue_age_seconds",
    help: "How long the oldest alert has waited for an overlay that is connected.",
    read: overlay.queueAge,
  });
  const files = openAlertFiles(pagesKnex);
  return {
    operations: {
      ...overlay.operations,
      listAlertFiles: media.listAlertFiles({ files }),
      uploadAlertFile: media.uploadAlertFile({ files }),
      deleteAlertFile: media.deleteAlertFile({ files }),
    },
    pages: media.mediaPages({ files, limits }),
    overlay,
    notifier,
    speech,
    files,
    voices: { state: () => speechState(engine), voices: voiceList(engine, log) },
    close: async () => {
      await overlay.close();
      await notifier.close();
      await speech.close();
    },
  };
}
