// Serves a sample as the speech engine speaks it, to the streamer who is logged in.

import { Readable } from "node:stream";
import { isVoiceName } from "../../http/contract/published.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import { isUnknownVoice, readVoices, speaks } from "../components/voice-field.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { sampleOf } from "./preview.ts";

/** What is asked for does not come: there is no engine, it fails, or it has spoken too much for the streamer. */
const unspoken: PageReply = { status: 503, html: "", retryAfter: 10 };

/** GET /studio/listen: `sample` names the text. Without `voice` it is that of the settings, and with an empty one the server's. */
export const listen = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.designer, async ({ account, query }) => {
    const { speech } = deps;
    const voices = await readVoices(speech);
    if (!speaks(voices)) return unspoken;
    const typed = query.get("voice")?.trim();
    // A voice that the engine does not have is not asked for: one text makes no more audio than there are voices.
    const isUsable = typed !== undefined && isVoiceName(typed) && !isUnknownVoice(typed, voices);
    const voice = typed === undefined ? {} : { voice: isUsable ? typed : null };
    const audio = await speech.sample(account.streamer.id, { ...sampleOf(query.get("sample") ?? ""), ...voice });
    if (!audio?.mime.startsWith("audio/")) return unspoken;
    const headers = { "Content-Length": String(audio.bytes.length), "X-Content-Type-Options": "nosniff" };
    return { status: 200, file: { type: audio.mime, headers, body: Readable.from([audio.bytes]) } };
  });
