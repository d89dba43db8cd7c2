// Opens the overlay: its operations, and the events that it must be notified of.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { type FairSlots, fairSlots, type SlotLimits, slotsOfEach } from "../base/fair-slots.ts";
import type { Handler, Handlers, OperationId } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { type HubDeps, openHub } from "./connections/hub.ts";
import {
  approveAlert,
  type ControlDeps,
  clearAlerts,
  denyAlert,
  getAlertQueue,
  getAlertSettings,
  hideAlerts,
  maskAlert,
  pauseAlerts,
  playAlertNext,
  replayAlert,
  resumeAlerts,
  sendTestAlert,
  skipAlert,
  skipOneAlert,
  unhideAlerts,
  updateAlertSettings,
} from "./control-handlers.ts";
import type { Notifier, Speech } from "./dependencies.ts";
import { endPlayback, getSpeech, startPlayback, streamOverlay } from "./handlers.ts";
import { noteWidgetChange } from "./queue/overlay.ts";
import { queueAge } from "./queue/read-queue.ts";
import { defaultTimes, type Times } from "./timeouts.ts";
import type { ReadWidgets } from "./widgets/widget-board.ts";

export type OverlayDeps = Pick<HubDeps, "revokedAmong" | "recordUse" | "widgetsOfKeys"> &
  Pick<ControlDeps, "recordTest"> & {
    knex: Knex;
    log: Logger;
    notifier: Notifier;
    /** Null: alerts play without speech. */
    speech: Speech | null;
    readWidgets: ReadWidgets;
    times?: Times;
  };

type Operation =
  | "streamOverlay"
  | "startPlayback"
  | "endPlayback"
  | "getSpeech"
  | "getAlertQueue"
  | "pauseAlerts"
  | "resumeAlerts"
  | "approveAlert"
  | "maskAlert"
  | "denyAlert"
  | "hideAlerts"
  | "unhideAlerts"
  | "skipAlert"
  | "skipOneAlert"
  | "playAlertNext"
  | "clearAlerts"
  | "sendTestAlert"
  | "replayAlert"
  | "getAlertSettings"
  | "updateAlertSettings";

export type OverlayService = {
  operations: Pick<Handlers, Operation>;
  /** A donation of this streamer has just been recorded. */
  recorded: (streamerId: string) => void;
  /** Something else than a donation has changed for this streamer, such as that one was voided. */
  changed: (streamerId: string) => void;
  /** Notes in this transaction that the widget of one of the streamer's overlay keys was changed; `changed` then tells open pages. */
  noteWidgetChange: (trx: Knex, streamerId: string) => Promise<unknown>;
  /** A credential was revoked; resolves when overlays with it are disconnected. */
  credentialsChanged: () => Promise<void>;
  /** The number of connections to this process. */
  connected: () => number;
  /** Seconds that the oldest waiting alert has waited, among streamers with a connected overlay; 0: none waits. */
  queueAge: () => Promise<number>;
  /** Ends all streams, because the server stops. */
  leave: () => void;
  /** Resolves when the overlay's work has ended. */
  close: () => Promise<void>;
};

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

export function openOverlay(deps: OverlayDeps): OverlayService {
  const { knex, speech, notifier, recordTest, times = defaultTimes } = deps;
  const hub = openHub({ ...deps, times });
  const slots = slotsWithin(slotsOfEach(callSlots), fairSlots(allCallSlots));
  const inTurn = takingTurns(slots);
  const controls = { knex, hub, hasSpeech: speech !== null, absenceLimitMs: times.absenceLimitMs, recordTest };
  return {
    operations: {
      streamOverlay: streamOverlay({ hub }),
      startPlayback: startPlayback({ knex, hub }),
      endPlayback: endPlayback({ knex, hub }),
      getSpeech: getSpeech({ knex, speech }),
      getAlertQueue: inTurn(getAlertQueue(controls)),
      pauseAlerts: inTurn(pauseAlerts(controls)),
      resumeAlerts: inTurn(resumeAlerts(controls)),
      approveAlert: inTurn(approveAlert(controls)),
      maskAlert: inTurn(maskAlert(controls)),
      denyAlert: inTurn(denyAlert(controls)),
      hideAlerts: inTurn(hideAlerts(controls)),
      unhideAlerts: inTurn(unhideAlerts(controls)),
      skipAlert: inTurn(skipAlert(controls)),
      skipOneAlert: inTurn(skipOneAlert(controls)),
      playAlertNext: inTurn(playAlertNext(controls)),
      clearAlerts: clearAlerts({ ...controls, slots }),
      sendTestAlert: sendTestAlert(controls),
      replayAlert: inTurn(replayAlert(controls)),
      getAlertSettings: inTurn(getAlertSettings(controls)),
      updateAlertSettings: inTurn(updateAlertSettings(controls)),
    },
    recorded: notifier.notify,
    changed: hub.changed,
    noteWidgetChange,
    credentialsChanged: hub.closeRevoked,
    connected: hub.connected,
    queueAge: () => queueAge(knex),
    leave: hub.leave,
    close: hub.close,
  };
}

/** Slots of both kinds for each task. */
function slotsWithin(inner: FairSlots, outer: FairSlots): FairSlots {
  return (key, task) => inner(key, () => outer(key, task));
}

function takingTurns(slots: FairSlots) {
  return <Id extends OperationId>(handler: Handler<Id>): Handler<Id> =>
    (request, principal) =>
      slots(principal.streamerId, () => handler(request, principal));
}
