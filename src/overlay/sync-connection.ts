// What a connection is told: everything at first, later what is new for it.

import type { Schemas } from "../http/operations.ts";
import type { Connection, Role, Told } from "./connection.ts";
import { pageSettings } from "./settings.ts";
import type { StoredPlayback } from "./store/playbacks.ts";
import type { View } from "./store/queue-step.ts";

/** Brings a connection up to date. */
export function tell(connection: Connection, view: View, widgets: Schemas["Widgets"]): void {
  const { told, send } = connection;
  const { paused, settings } = view.overlay;
  const current = { paused, settings: pageSettings(settings) };
  const role = roleOf(connection, view);
  const playback = role === "player" ? view.playback : null;
  const now: Told = { role, settings: JSON.stringify(current), playback: playback && { id: playback.id, key: keyOf(playback) }, widgets };
  connection.told = now;
  if (!told) {
    send({ event: "snapshot", data: { role, ...current, playback: playback && shownAs(playback, view), widgets } });
    return;
  }
  // Also after an end that was acknowledged: by then it may have been handed to this connection once more.
  if (told.playback && told.playback.id !== playback?.id) send({ event: "stop", data: { playbackId: told.playback.id } });
  if (told.role !== role) send({ event: "role", data: { role } });
  if (told.settings !== now.settings) send({ event: "settings", data: current });
  if (playback && told.playback?.key !== now.playback?.key) send({ event: "playback", data: shownAs(playback, view) });
  if (told.widgets !== widgets) send({ event: "widgets", data: widgets });
}

function roleOf({ id, plays }: Connection, { holder }: View): Role {
  if (!plays) return "listener";
  return holder === id ? "player" : "standby";
}

/** Changes whenever the playback is to be played from the beginning. */
function keyOf({ id, attempts, losses }: StoredPlayback): string {
  return `${id} ${attempts} ${losses}`;
}

function shownAs(playback: StoredPlayback, { overlay }: View): Schemas["Playback"] {
  const { id, donationId, donatorName, amount, currency, message, source, speech, replay } = playback;
  return { id, donationId, donatorName, amount, currency, message, source, speech: overlay.settings.speech ? speech : null, replay };
}
