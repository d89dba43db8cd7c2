// Opens overlays and widgets, the speech of alerts, and the notifier of other processes.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { openOverlay } from "../alerts/open-overlay.ts";
import { readWidgets } from "../alerts/widgets/read-widgets.ts";
import type { Credentials } from "../auth/credentials.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { pools } from "../db/pools.ts";
import { newDonation, toRecord } from "../donations/donation.ts";
import type { Writer } from "../donations/record/writer.ts";
import type { DonationStore } from "../donations/store.ts";
import { summedIn } from "../http/summed-currency.ts";
import { openNotifier } from "../notifier/open-notifier.ts";
import { speechEngine, speechState, voiceList } from "../speech/choose-speaker.ts";
import { openSpeech } from "../speech/speech-cache.ts";

type Deps = { config: Config; database: Database; log: Logger };
type AlertSources = { credentials: Credentials; writer: Writer; donations: DonationStore; reportReads: Knex };

/** `close` lets pages go, then stops the notifier and the speech. */
export function openAlerts({ config, database, log }: Deps, { credentials, writer, donations, reportReads }: AlertSources) {
  const notifier = openNotifier({ config, databaseUrl: config.listenDatabaseUrl ?? database.url, log });
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
  return {
    overlay,
    notifier,
    speech,
    voices: { state: () => speechState(engine), voices: voiceList(engine, log) },
    close: async () => {
      await overlay.close();
      await notifier.close();
      await speech.close();
    },
  };
}
