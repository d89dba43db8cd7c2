// When the alert that plays began, and when it is expected to end. The contract's queue does not tell.

import { shownTexts } from "../../alerts/queue/filter.ts";
import type { StoredPlayback } from "../../alerts/queue/playbacks.ts";
import type { Settings } from "../../alerts/settings/settings.ts";
import { durations } from "../../overlay-pages/core/alert-playback.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import { exactTime } from "../../ui/times.ts";
import type { StudioDeps } from "../studio-deps.ts";
import type { Queue } from "./held-alerts.ts";

/** Instants as the interface writes them. */
export type PlayingTime = Readonly<{ from: string; to: string }>;

/** Null when nothing plays, and before the overlay's page has acknowledged the start. */
export async function readPlayingTime(
  { activePlayback }: Pick<StudioDeps, "activePlayback">,
  streamerId: string,
  { queue, settings }: { queue: Queue; settings: Settings },
): Promise<PlayingTime | null> {
  const playback = queue.playing?.status === "playing" ? await activePlayback(streamerId) : null;
  return playback?.id === queue.playing?.playbackId && playback?.startedAt ? timeOf(playback, playback.startedAt, settings) : null;
}

/** As that page computes it: the time on screen, or that of the speech where it is longer. */
function timeOf(playback: StoredPlayback, startedAt: number, settings: Settings): PlayingTime {
  const { visible } = durations({ ...playback, ...shownTexts(playback, settings) }, settings);
  const spoken = (playback.speech?.durationMs ?? 0) / settings.speechSpeed;
  const at = (ms: number) => new Date(ms).toISOString();
  return { from: at(startedAt), to: at(startedAt + Math.max(visible, spoken)) };
}

/** The script makes a line of it that fills. */
export function progressLine({ from, to }: PlayingTime): Html {
  return html`<p class="progress" data-from="${from}" data-to="${to}">${bilingual({ th: "จบประมาณ", en: "Ends at about" })} ${exactTime(to)}</p>`;
}
