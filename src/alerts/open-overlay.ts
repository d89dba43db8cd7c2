// Opens the overlay: its operations, and the events that it must be notified of.

import { type FairSlots, fairSlots, type SlotLimits, slotsOfEach } from "../base/fair-slots.ts";
import type { Handlers, Principal } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { type HubDeps, openHub } from "./connections/hub.ts";
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
import { noteWidgetChange } from "./queue/overlay.ts";
import { queueAge } from "./queue/read-queue.ts";
import { defaultTimes, type Times } from "./timeouts.ts";

export type OverlayDeps = Omit<HubDeps, "times"> & { recordTest: RecordTest; times?: Times };

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

export function openOverlay(deps: OverlayDeps) {
  const { knex, speech, notifier, recordTest, times = defaultTimes } = deps;
  const hub = openHub({ ...deps, times });
  const slots = slotsWithin(slotsOfEach(callSlots), fairSlots(allCallSlots));
  const controls = { knex, hub, hasSpeech: speech !== null, absenceLimitMs: times.absenceLimitMs };
  return {
    operations: {
      streamOverlay: streamOverlay(hub),
      startPlayback: startPlayback(knex, hub),
      endPlayback: endPlayback(knex, hub),
      getSpeech: getSpeech(knex, speech),
      clearAlerts: clearAlerts(controls, slots),
      sendTestAlert: sendTestAlert(recordTest),
      ...inTurn(slots, controlOperations(controls)),
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
