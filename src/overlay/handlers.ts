// What an overlay page asks for: its stream, its speech, and to be believed about what it has shown.

import { Readable } from "node:stream";
import type { Knex } from "knex";
import type { Handler } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import { isId, isSpeechId, type SpeechMediaType, speechMediaTypes } from "../http/published.ts";
import type { Speech } from "./dependencies.ts";
import type { Hub } from "./hub.ts";
import { type Acknowledged, acknowledgeEnd, acknowledgeStart } from "./store/acknowledge.ts";
import { ownsSpeech } from "./store/presence.ts";

export type StreamParts = { hub: Hub };

export const streamOverlay =
  ({ hub }: StreamParts): Handler<"streamOverlay"> =>
  async ({ query }, { streamerId, credential }) => {
    const { player, plays, playing = null } = query;
    const body = await hub.open({ keyId: credential.id, streamerId, playerId: player, plays, playing });
    // Proxies that gather answers before they pass them on would hold events up.
    return { status: 200, transport: { "X-Accel-Buffering": "no" }, type: "text/event-stream", body };
  };

export type AcknowledgementParts = { knex: Knex; hub: Pick<Hub, "changed"> };

export const startPlayback =
  (parts: AcknowledgementParts): Handler<"startPlayback"> =>
  async ({ path, body }, { streamerId }) =>
    acknowledged(parts, { streamerId, ...path, ...body }, acknowledgeStart);

export const endPlayback =
  (parts: AcknowledgementParts): Handler<"endPlayback"> =>
  async ({ path, body }, { streamerId }) =>
    acknowledged(parts, { streamerId, ...path, ...body }, acknowledgeEnd);

export type SpeechParts = { knex: Knex; speech: Speech | null };

export const getSpeech =
  ({ knex, speech }: SpeechParts): Handler<"getSpeech"> =>
  async ({ path }, { streamerId }) => {
    // By its content anybody could ask whether a streamer was told something.
    const found = speech && isSpeechId(path.speechId) && (await ownsSpeech(knex, streamerId, path.speechId));
    const audio = found ? await speech.read(path.speechId) : null;
    if (!audio || !isMediaType(audio.mime)) return refusal("speech_not_found", "There is no such speech any more.");
    const headers = { "Cache-Control": "private, max-age=31536000, immutable" } as const;
    return { status: 200, headers, type: audio.mime, body: Readable.from([audio.bytes]) };
  };

function isMediaType(mime: string): mime is SpeechMediaType {
  return speechMediaTypes.some((known) => known === mime);
}

type Asked = { streamerId: string; playbackId: string; player: string };
type Acknowledge = typeof acknowledgeStart;

async function acknowledged({ knex, hub }: AcknowledgementParts, { streamerId, playbackId, player }: Asked, acknowledge: Acknowledge) {
  const answer: Acknowledged = isId(playbackId) ? await acknowledge(knex, streamerId, playbackId, player) : "unknown";
  if (answer === "unknown") return refusal("alert_not_found", "There is no such playback.");
  if (answer === "conflict") return refusal("alert_state_conflict", "This playback is not yours to play, or not any more.");
  if (answer.changed) hub.changed(streamerId);
  return { status: 200, body: { data: { id: playbackId, status: answer.status } } } as const;
}
