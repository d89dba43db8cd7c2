// Opens the alerts: overlays and widgets, their media and speech, and the notifier of other processes.

import type { Knex } from "knex";
import type { Credentials } from "../auth/credentials.ts";
import { type FairSlots, fairSlots, type SlotLimits, slotsOfEach } from "../base/fair-slots.ts";
import { summedIn } from "../base/summed-currency.ts";
import type { ProcessDeps } from "../db/database.ts";
import { pools } from "../db/pools.ts";
import { newDonation, toRecord } from "../donations/donation.ts";
import type { Writer } from "../donations/record/writer.ts";
import type { DonationStore } from "../donations/store.ts";
import type { Handlers, Principal } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import { openNotifier } from "../notifier/open-notifier.ts";
import { speechEngine, speechState, voiceList } from "../speech/choose-speaker.ts";
import { openSpeech } from "../speech/speech-cache.ts";
import type { HubDeps } from "./connections/channel.ts";
import { openHub } from "./connections/hub.ts";
import {
  clearAlerts,
  controlOperations,
  endPlayback,
  getSpeech,
  type RecordTest,
  sendTestAlert,
  startPlayback,
  streamOverlay,
} from "./handlers.ts";
import { deleteAlertFile, listAlertFiles, mediaPages, openAlertFiles, uploadAlertFile } from "./media/alert-files.ts";
import { noteWidgetChange } from "./queue/overlay.ts";
import { queueAge } from "./queue/read-queue.ts";
import { defaultTimes } from "./timeouts.ts";
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
  const knex = database.pool(pools.overlay);
  const hubDeps = {
    ...{ knex, log },
    notifier,
    times: defaultTimes,
    speech: engine.isOn ? speech : null,
    revokedAmong: credentials.overlayKeys.revokedAmong,
    settingsOfKeys: credentials.overlayKeys.settingsOf,
    recordUse: credentials.recordOverlayUse,
    readWidgets: readWidgets(knex, reportReads, donations),
  };
  const overlay = openOverlay(hubDeps, async (by, test) => {
    const input = { ...test, currency: summedIn, skipAlert: false } as const;
    const { donation } = await writer.record(newDonation(input, by, { source: "test", channel: "other" }));
    return toRecord(donation, by.applicationId);
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
      listAlertFiles: listAlertFiles(files),
      uploadAlertFile: uploadAlertFile(files),
      deleteAlertFile: deleteAlertFile(files),
    },
    pages: mediaPages(files.read, limits),
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

export type OverlayService = ReturnType<typeof openOverlay>;

const waiting: Omit<SlotLimits, "max"> = {
  maxWaiting: 200,
  waitMs: 5_000,
  tooMany: () => new Problem("unavailable", "Other calls about alerts are still under way."),
};

/**
 * Calls about the queue of one streamer that run at once, and those about all queues, in each process. The calls of a streamer wait for one
 * row. All of them leave a connection of the pool, which has four, to the players.
 */
const callSlots: SlotLimits = { ...waiting, max: 2 };
const allCallSlots: SlotLimits = { ...waiting, max: 3 };

/** The operations of overlays and of the alert queue, and the events that they must be notified of. */
export function openOverlay(deps: HubDeps, recordTest: RecordTest) {
  const { knex, speech, notifier } = deps;
  const hub = openHub(deps);
  const slots = slotsWithin(slotsOfEach(callSlots), fairSlots(allCallSlots));
  return {
    operations: {
      streamOverlay: streamOverlay(hub),
      startPlayback: startPlayback(knex, hub),
      endPlayback: endPlayback(knex, hub),
      getSpeech: getSpeech(knex, speech),
      clearAlerts: clearAlerts(knex, hub, slots),
      sendTestAlert: sendTestAlert(recordTest),
      ...inTurn(slots, controlOperations(deps, hub)),
    },
    /** A donation of this streamer has just been recorded. */
    recorded: notifier.notify,
    /** Something else than a donation has changed for this streamer, such as that one was voided. */
    changed: hub.changed,
    /** Notes in this transaction that the widget of one of the streamer's overlay keys was changed; `changed` then tells open pages. */
    noteWidgetChange,
    /** A credential was revoked; resolves when overlays with it are disconnected. */
    credentialsChanged: hub.closeRevoked,
    /** The number of connections to this process. */
    connected: hub.connected,
    /** Seconds that the oldest waiting alert has waited, among streamers with a connected overlay; 0: none waits. */
    queueAge: () => queueAge(knex),
    /** Ends all streams, because the server stops. */
    leave: hub.leave,
    /** Resolves when the overlay's work has ended. */
    close: hub.close,
  };
}

/** Slots of both kinds for each task. */
function slotsWithin(inner: FairSlots, outer: FairSlots): FairSlots {
  return (key, task) => inner(key, () => outer(key, task));
}

/** The same operations, of which each call waits for its turn. */
function inTurn<Operations extends Partial<Handlers>>(slots: FairSlots, operations: Operations): Operations {
  type Call = (request: unknown, principal: Principal) => Promise<unknown>;
  const inTheirTurn = Object.entries(operations as Record<string, Call>).map(([id, call]): [string, Call] => {
    return [id, (request, principal) => slots(principal.streamerId, () => call(request, principal))];
  });
  return Object.fromEntries(inTheirTurn) as Operations;
}
