// Chooses the speech engine by the operator's TTS and TTS_URL.

import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { findEspeak } from "./espeak-speaker.ts";
import { httpSpeaker } from "./http-speaker.ts";
import type { Speaker } from "./speaker.ts";

export type SpeechConfig = Pick<Config, "tts" | "ttsUrl" | "ttsToken" | "ttsVoice">;

/** The HTTP engine of TTS_URL, else espeak-ng if it is installed, else null: alerts play without speech. */
export async function chooseSpeaker(config: SpeechConfig, log: Logger): Promise<Speaker | null> {
  if (!config.tts) return null;
  const { ttsUrl: url, ttsToken: token, ttsVoice: voice } = config;
  const speaker = url ? httpSpeaker({ url, token, voice }) : await findEspeak(voice);
  log.info(speaker ? "alerts are spoken" : "alerts are not spoken: TTS_URL is not set, and there is no espeak-ng that speaks");
  return speaker;
}
