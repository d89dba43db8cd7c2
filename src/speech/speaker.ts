// The port to whatever speaks.

import type { Language } from "./speech-text.ts";

export type Audio = { mime: string; bytes: Buffer; durationMs: number | null };

export type Utterance = { text: string; language: Language };

export type Speaker = {
  /** Engine and voice. It is part of each audio's hash, so that those of two voices are never mixed up. */
  id: string;
  /** Null when the audio is too long. Rejects when the engine fails or the signal is aborted, and ends what it was doing. */
  speak: (utterance: Utterance, signal: AbortSignal) => Promise<Audio | null>;
};

/** More is not used: it would play for longer than any alert. */
export const mostAudioBytes = 2 * 1024 * 1024;
