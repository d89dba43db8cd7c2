// Speech by Azure AI Speech (REST, cognitiveservices/v1), with the key of a Speech resource.

import { askForAudio, askForJson } from "./http-speaker.ts";
import type { Speaker, Voice } from "./speaker.ts";

/** `url`: of the service, without a path; null: that of the region. */
type AzureSettings = Readonly<{ url: string | null; region: string | null; token: string; voice: string | null }>;

const locale = "th-TH";

export function azureSpeaker({ url, region, token, voice }: AzureSettings): Speaker {
  const base = `${(url ?? `https://${region}.tts.speech.microsoft.com`).replace(/\/$/, "")}/cognitiveservices`;
  const key = { "Ocp-Apim-Subscription-Key": token };
  const headers = {
    ...key,
    "Content-Type": "application/ssml+xml",
    "X-Microsoft-OutputFormat": "audio-24khz-48kbitrate-mono-mp3",
    "User-Agent": "donation-alerts",
  };
  return {
    id: `azure ${base} ${voice ?? ""}`,
    name: "azure",
    speak: ({ text, voice: own }, signal) =>
      askForAudio({ url: `${base}/v1`, headers, signal, body: ssml(text, own ?? voice ?? "th-TH-PremwadeeNeural") }),
    voices: async (signal) => readVoices(await askForJson({ url: `${base}/voices/list`, headers: key, signal })),
  };
}

function ssml(text: string, voice: string): string {
  return `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${locale}"><voice name="${escaped(voice)}">${escaped(text)}</voice></speak>`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Characters that XML 1.0 does not allow are left out. */
function escaped(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "").replace(/[&<>"']/g, (sign) => entities[sign] ?? "");
}

type AzureVoice = { ShortName: string; Locale: string; LocaleName?: string; Gender?: string; SecondaryLocaleList?: string[] };

/** Voices that speak Thai, of the several hundred of all languages. */
function readVoices(answer: unknown): Voice[] {
  if (!Array.isArray(answer)) throw new Error("the speech engine answered no list of voices");
  const thai = (answer as AzureVoice[]).filter((one) => one.Locale === locale || one.SecondaryLocaleList?.includes(locale));
  return thai.map(({ ShortName, LocaleName, Locale, Gender }) => ({
    name: ShortName,
    language: [LocaleName ?? Locale, Gender?.toLowerCase()].filter(Boolean).join(", "),
  }));
}
