// The room as the application uses it: its operations, and what it wants to know of.

import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Handlers } from "../http/operations.ts";
import {
  type ControlParts,
  clearAlerts,
  getAlertQueue,
  getAlertSettings,
  pauseAlerts,
  replayAlert,
  resumeAlerts,
  sendTestAlert,
  skipAlert,
  updateAlertSettings,
} from "./control-handlers.ts";
import type { Notifier, ReadWidgets, Speech } from "./dependencies.ts";
import { endPlayback, getSpeech, startPlayback, streamOverlay } from "./handlers.ts";
import { type HubParts, openHub } from "./hub.ts";
import { queueAge } from "./store/queue.ts";
import { type Times, usualTimes } from "./timeouts.ts";

export type OverlayFoundations = Pick<HubParts, "revokedAmong"> &
  Pick<ControlParts, "recordTest"> & {
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
  | "skipAlert"
  | "clearAlerts"
  | "sendTestAlert"
  | "replayAlert"
  | "getAlertSettings"
  | "updateAlertSettings";

export type OverlayRoom = {
  operations: Pick<Handlers, Operation>;
  /** A donation of this streamer has just been recorded. */
  recorded: (streamerId: string) => void;
  /** Some credential was revoked; resolves when overlays with it are disconnected. */
  credentialsChanged: () => Promise<void>;
  /** How many connections this process has. */
  connected: () => number;
  /** For how many seconds the alert has waited that waits longest for an overlay that is connected; 0: none does. */
  queueAge: () => Promise<number>;
  /** Ends all streams: the server stops. */
  leave: () => void;
  /** Resolves when nothing is under way any more. */
  close: () => Promise<void>;
};

export function openOverlay(foundations: OverlayFoundations): OverlayRoom {
  const { knex, speech, notifier, recordTest, times = usualTimes } = foundations;
  const hub = openHub({ ...foundations, times });
  const controls = { knex, hub, speaks: speech !== null, recordTest };
  return {
    operations: {
      streamOverlay: streamOverlay({ hub }),
      startPlayback: startPlayback({ knex, hub }),
      endPlayback: endPlayback({ knex, hub }),
      getSpeech: getSpeech({ knex, speech }),
      getAlertQueue: getAlertQueue(controls),
      pauseAlerts: pauseAlerts(controls),
      resumeAlerts: resumeAlerts(controls),
      skipAlert: skipAlert(controls),
      clearAlerts: clearAlerts(controls),
      sendTestAlert: sendTestAlert(controls),
      replayAlert: replayAlert(controls),
      getAlertSettings: getAlertSettings(controls),
      updateAlertSettings: updateAlertSettings(controls),
    },
    recorded: notifier.notify,
    credentialsChanged: hub.dropRevoked,
    connected: hub.connected,
    queueAge: () => queueAge(knex),
    leave: hub.leave,
    close: hub.close,
  };
}
