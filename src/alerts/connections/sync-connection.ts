// Sends a connection what is new for it: a snapshot at first, then one event for each change.

import type { Schemas } from "../../http/operations.ts";
import { isSpoken, pageSettings } from "../settings/settings.ts";
import { shownTexts } from "../settings/shown-texts.ts";
import type { StoredPlayback } from "../store/playbacks.ts";
import type { QueueView } from "../store/queue-step.ts";
import type { Connection, Role, SentState } from "./connection.ts";

/** What widgets show: their figures, and the settings of the widget of the connection's key. */
export type ShownWidgets = Readonly<{ widgets: Schemas["Widgets"]; widget: Schemas["WidgetSettings"] | null }>;

/** Brings a connection up to date. */
export function syncConnection(connection: Connection, view: QueueView, { widgets, widget }: ShownWidgets): void {
  const { sent, send } = connection;
  const { paused, hidden, settings } = view.overlay;
  const current = { paused, hidden, settings: pageSettings(settings), widget };
  const role = roleOf(connection, view);
  const playback = role === "player" ? view.playback : null;
  const now: SentState = {
    role,
    settings: JSON.stringify(current),
    playback: playback && { id: playback.id, key: handoutKey(playback) },
    widgets,
  };
  connection.sent = now;
  if (!sent) {
    send({ event: "snapshot", data: { role, ...current, playback: playback && toPlayback(playback, view), widgets } });
    return;
  }
  // Sent after an acknowledged end as well: the playback may have been handed to this connection once more meanwhile.
  if (sent.playback && sent.playback.id !== playback?.id) send({ event: "stop", data: { playbackId: sent.playback.id } });
  if (sent.role !== role) send({ event: "role", data: { role } });
  if (sent.settings !== now.settings) send({ event: "settings", data: current });
  if (playback && sent.playback?.key !== now.playback?.key) send({ event: "playback", data: toPlayback(playback, view) });
  if (sent.widgets !== widgets) send({ event: "widgets", data: widgets });
}

function roleOf({ id, plays }: Connection, { playerConnectionId }: QueueView): Role {
  if (!plays) return "listener";
  return playerConnectionId === id ? "player" : "standby";
}

/** A new key means that the playback must be played from the beginning. */
function handoutKey({ id, attempts, losses }: StoredPlayback): string {
  return `${id} ${attempts} ${losses}`;
}

function toPlayback(playback: StoredPlayback, { overlay }: QueueView): Schemas["Playback"] {
  const { id, donationId, amount, currency, source, replay, faster, variation } = playback;
  const { donatorName, message, masked } = shownTexts(playback, overlay.settings);
  const speech = isSpoken(overlay.settings, amount) ? playback.speech : null;
  return { id, donationId, donatorName, amount, currency, message, source, speech, replay, faster, variation, masked };
}
