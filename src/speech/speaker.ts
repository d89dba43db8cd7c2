// The interface of speech engines.

import type { Language } from "./speech-text.ts";

export type Audio = { mime: string; bytes: Buffer; durationMs: number | null };

export type Utterance = {
  text: string;
  language: Language;
  /** Instead of the engine's own; an engine may ignore it, and rejects or ignores one that it does not have. */
  voice?: string | null;
};

/** A voice that an engine has. `name`: what `Utterance.voice` takes. `language`: in words. */
export type Voice = Readonly<{ name: string; language: string }>;

export type Speaker = {
  /** Engine and voice. It is part of each audio's hash, so that a change of voice does not serve stored audio of the old one. */
  id: string;
  /** For people. */
  name: string;
  /** It is hard to follow. The streamer's pages say so, and a better engine that appears takes its place. */
  isFallback?: boolean;
  /**
   * Resolves to null when the audio is too long. Rejects with TextRefused when the engine does not speak this text, and with another
   * error when it fails or the signal is aborted, which also stops the engine.
   */
  speak: (utterance: Utterance, signal: AbortSignal) => Promise<Audio | null>;
  /** The voices to choose from, of an engine that can name them. Rejects as `speak` does. */
  voices?: (signal: AbortSignal) => Promise<readonly Voice[]>;
};

/** The engine works, and does not speak this text. */
export class TextRefused extends Error {}

/** Longer audio is not used: it would play longer than any alert. */
export const maxAudioBytes = 2 * 1024 * 1024;
