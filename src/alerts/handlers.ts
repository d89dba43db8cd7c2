// The operations of overlay pages: the stream, speech, and acknowledgements of playbacks.

import type { Knex } from "knex";
import { isId, isSpeechId, type SpeechMediaType, speechMediaTypes } from "../http/contract/published.ts";
import type { Handler } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import type { Speech } from "../speech/speech-cache.ts";
import type { Hub } from "./connections/hub.ts";
import { sharedFiles } from "./media/shared-files.ts";
import { type Acknowledged, type AcknowledgementRequest, acknowledgeEnd } from "./queue/end.ts";
import { ownsSpeech } from "./queue/speech.ts";
import { acknowledgeStart } from "./queue/start.ts";

export const streamOverlay =
  (hub: Hub): Handler<"streamOverlay"> =>
  async ({ query }, { streamerId, credential }) => {
    const { player, plays, playing = null } = query;
    const body = await hub.open({ keyId: credential.id, streamerId, playerId: player, plays, playing });
    // Proxies that buffer responses would delay events.
    return { status: 200, transport: { "X-Accel-Buffering": "no" }, type: "text/event-stream", body };
  };

export const startPlayback =
  (knex: Knex, hub: Hub): Handler<"startPlayback"> =>
  async ({ path, body }, { streamerId }) =>
    answerAcknowledgement(hub, { streamerId, ...path, playerId: body.player }, (request) => acknowledgeStart(knex, request));

export const endPlayback =
  (knex: Knex, hub: Hub): Handler<"endPlayback"> =>
  async ({ path, body }, { streamerId }) =>
    answerAcknowledgement(hub, { streamerId, ...path, playerId: body.player }, (request) => acknowledgeEnd(knex, request));

/** Of speech that is being sent, which slow clients keep in memory. One streamer has at most 50 MB of it to read slowly. */
const maxSpeechBytesSent = 67_108_864;

export const getSpeech = (knex: Knex, speech: Speech | null): Handler<"getSpeech"> => {
  const openAudio = sharedFiles(async (id) => speech && readServed(speech, id), maxSpeechBytesSent);
  return async ({ path }, { streamerId }) => {
    // A speech id is a hash of the text: without this check, anybody could test whether a streamer received a text.
    const isOwn = speech && isSpeechId(path.speechId) && (await ownsSpeech(knex, streamerId, path.speechId));
    const audio = isOwn ? await openAudio(path.speechId) : null;
    if (!audio) return refusal("speech_not_found", "There is no such speech.");
    const headers = { "Cache-Control": "private, max-age=31536000, immutable" } as const;
    return { status: 200, headers, type: audio.mime, body: audio.body };
  };
};

/** Null for audio that is not there, or of a media type that the contract does not serve. */
async function readServed(speech: Speech, id: string) {
  const audio = await speech.read(id);
  return audio && isMediaType(audio.mime) ? { mime: audio.mime, bytes: audio.bytes } : null;
}

function isMediaType(mime: string): mime is SpeechMediaType {
  return speechMediaTypes.some((known) => known === mime);
}

type Acknowledge = (request: AcknowledgementRequest) => Promise<Acknowledged>;

async function answerAcknowledgement(hub: Hub, request: AcknowledgementRequest, acknowledge: Acknowledge) {
  const { streamerId, playbackId } = request;
  const answer = isId(playbackId) ? await acknowledge(request) : "unknown";
  if (answer === "unknown") return refusal("alert_not_found", "There is no such playback.");
  if (answer === "conflict") return refusal("alert_state_conflict", "This playback is not yours to play, or not any more.");
  if (answer.changed) hub.changed(streamerId);
  return { status: 200, body: { data: { id: playbackId, status: answer.status } } } as const;
}
