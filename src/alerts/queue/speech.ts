// The speech of alerts: made for the first playbacks that wait for it, ahead of their turn and without holding the overlay's lock.

import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import { resultWithin } from "../../base/async.ts";
import type { PreparedSpeech, Speech } from "../../speech/speech-cache.ts";
import { activeTracing, inSpan, traceOf } from "../../telemetry/tracing.ts";
import { isSpoken, type Settings } from "../settings/settings.ts";
import { shownTexts, spokenTexts } from "./filter.ts";
import { changeOverlay, withOverlay } from "./overlay.ts";
import { type Part, type PlaybackRef, type StoredPlayback, updatePlaybacks } from "./playbacks.ts";
import type { QueueStepDeps, QueueView } from "./step.ts";

export type Preparations = { start: (view: QueueView) => void };

/** Playbacks of one streamer whose speech is made at the same time. */
const maxConcurrent = 3;

/** `onDone`: a playback is queued, with or without speech, or could not be queued. */
export function makePreparations(
  { knex, speech, times }: QueueStepDeps,
  onDone: () => void,
  warn: (error: unknown, what: string) => void,
): Preparations {
  const underWay = new Set<string>();

  const prepare = async (playback: StoredPlayback, { overlay }: QueueView) => {
    const { amount, currency, variation } = playback;
    const { donatorName, message } = spokenTexts(shownTexts(playback, overlay.settings));
    const { speak, voice: ownVoice } = variation ?? { speak: true, voice: null };
    const voice = ownVoice ?? overlay.settings.voice;
    const made =
      speak && isSpoken(overlay.settings, amount)
        ? await speech?.prepare(overlay.streamerId, { donatorName, amount, currency, message, language: "th", voice }).catch((error) => {
            warn(error, "speech could not be prepared");
            return null;
          })
        : null;
    return made ?? null;
  };

  /** Speech of words that were hidden while it was made is left out. */
  const finish = (playback: StoredPlayback, { overlay: before }: QueueView, made: PreparedSpeech | null) =>
    withOverlay(knex, before.streamerId, async (trx, overlay) => {
      const isStill = isDeepStrictEqual(shownTexts(playback, before.settings), shownTexts(playback, overlay.settings));
      if (await setPrepared(trx, { streamerId: before.streamerId, id: playback.id }, isStill ? made : null))
        await changeOverlay(trx, overlay, {});
    });

  const start = async (playback: StoredPlayback, view: QueueView) => {
    underWay.add(playback.id);
    try {
      const prepared = traceSpeech(playback.donationId, () => prepare(playback, view));
      await finish(playback, view, await resultWithin(times.speechLimitMs, prepared));
    } catch (error) {
      warn(error, "a prepared alert could not be queued");
    } finally {
      underWay.delete(playback.id);
      onDone();
    }
  };

  return {
    start: (view) => {
      for (const playback of view.preparing.slice(0, maxConcurrent)) if (!underWay.has(playback.id)) void start(playback, view);
    },
  };
}

/** Queues a playback whose speech is made, or will not be (null). Resolves to false if it did not wait for its speech. */
async function setPrepared(trx: Knex, { streamerId, id }: PlaybackRef, speech: PreparedSpeech | null): Promise<boolean> {
  const { hash = null, mime = null, durationMs = null } = speech ?? {};
  const made = [hash, mime, durationMs === null ? null : Math.ceil(durationMs)];
  const set: Part = ["state = 'queued', speech_id = ?, speech_mime = ?, speech_ms = ?", ...made];
  return updatePlaybacks(trx, streamerId, { set, where: ["p.id = ? and p.state = 'preparing'", id] });
}

/** Has the speech of waiting playbacks made again, because what may be said has changed. */
export function prepareAgain(trx: Knex, streamerId: string): Promise<boolean> {
  const set: Part = ["state = 'preparing', speech_id = null, speech_mime = null, speech_ms = null"];
  return updatePlaybacks(trx, streamerId, { set, where: ["p.state = 'queued' and p.speech_id is not null"] });
}

/** The state of a playback that was just added: its speech is made first, where alerts are read aloud. */
export function firstState(settings: Settings, speech: Speech | null): "preparing" | "queued" {
  return settings.speech && speech ? "preparing" : "queued";
}

/** Whether one of the streamer's playbacks has this speech. */
export async function ownsSpeech(knex: Knex, streamerId: string, speechId: string): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: { owns: boolean }[] }>(
    "select exists (select from playbacks where streamer_id = ? and speech_id = ?) as owns",
    [streamerId, speechId],
  );
  return rows[0]?.owns ?? false;
}

/** Runs `work`, which makes the speech of a donation's alert, in a span. */
function traceSpeech<Result>(donationId: string, work: () => Promise<Result>): Promise<Result> {
  const tracing = activeTracing();
  const parent = traceOf(donationId);
  return tracing && parent !== undefined ? inSpan(tracing.start("prepare speech", { parent }), work) : work();
}

/**
 * In the caller's transaction. A playback whose speech is being made is queued without: what is made of the old text finds nobody that waits
 * for it. Resolves to the ids of the speech.
 */
export async function forgetAlerts(transaction: Knex.Transaction, streamerId: string, donationIds: readonly string[]): Promise<string[]> {
  await transaction.raw("select from overlays where streamer_id = ? for update", [streamerId]);
  const { rows } = await transaction.raw<{ rows: { speech: string | null }[] }>(
    `with spoken as (
       select streamer_id, id, speech_id, state from playbacks
       where streamer_id = :streamerId and donation_id = any(:donationIds::uuid[]) and (speech_id is not null or state = 'preparing')
     ),
     silenced as (
       update playbacks p set speech_id = null, speech_mime = null, speech_ms = null,
         state = case when p.state = 'preparing' then 'queued' else p.state end
       from spoken s where p.streamer_id = :streamerId and p.streamer_id = s.streamer_id and p.id = s.id
       returning p.streamer_id, p.donation_id, s.state
     ),
     queued as (
       update alerts a set status = 'queued' from silenced s
       where s.state = 'preparing' and a.streamer_id = :streamerId and a.streamer_id = s.streamer_id and a.donation_id = s.donation_id
     )
     select distinct speech_id as speech from spoken where speech_id is not null`,
    { streamerId, donationIds },
  );
  await transaction.raw("update overlays set version = version + 1 where streamer_id = ?", [streamerId]);
  return rows.map(({ speech }) => speech as string);
}
