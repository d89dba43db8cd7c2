// The operations of overlay pages (the stream, speech, acknowledgements of playbacks), and those by which a streamer controls the alert queue and
// the alert settings.

import type { Knex } from "knex";
import type { FairSlots } from "../base/fair-slots.ts";
import { isId, isSpeechId, type SpeechMediaType, speechMediaTypes } from "../http/contract/published.ts";
import { allowsChange, etagOf } from "../http/etags.ts";
import type { Handler, Handlers, Principal, Schemas } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import type { Speech } from "../speech/speech-cache.ts";
import type { Hub } from "./connections/hub.ts";
import { sharedFiles } from "./media/shared-files.ts";
import { type Decision, decide } from "./queue/approval.ts";
import { chooseLeader } from "./queue/connected-pages.ts";
import { clearWaiting, putNext, saveSettings, setHidden, setPaused, skipOne, skipPlaying } from "./queue/controls.ts";
import { type Acknowledged, type AcknowledgementRequest, acknowledgeEnd } from "./queue/end.ts";
import { replay } from "./queue/intake.ts";
import { readOverlay } from "./queue/overlay.ts";
import { readQueue } from "./queue/read-queue.ts";
import { ownsSpeech } from "./queue/speech.ts";
import { acknowledgeStart } from "./queue/start.ts";
import type { QueueStepDeps } from "./queue/step.ts";
import { defaultSettings, type Settings } from "./settings/settings.ts";

export const streamOverlay =
  (hub: Hub): Handler<"streamOverlay"> =>
  async ({ query }, { streamerId, credential }) => {
    const { player, plays, playing = null, client, active } = query;
    const page = { playerId: player, plays, playing, isInObs: client === "obs", isActive: active };
    const body = await hub.open({ keyId: credential.id, streamerId, ...page });
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

type TestAlert = Required<Schemas["TestAlert"]>;

/** Records a test donation, which no report counts, and resolves to it as the caller may see it. */
export type RecordTest = (by: Principal, test: TestAlert) => Promise<Schemas["Donation"]>;

/** Each of them is one transaction or statement about the streamer's queue. */
export function controlOperations(deps: QueueStepDeps, hub: Hub) {
  const { knex } = deps;
  const answerQueue = queueAnswers(knex, hub);
  const answerOutcome = async (streamerId: string, { outcome, conflict }: Outcome) => {
    if (outcome === "unknown") return refusal("alert_not_found", "There is no such donation.");
    if (outcome === "conflict") return refusal("alert_state_conflict", conflict);
    return answerQueue(streamerId);
  };
  const decideOn = async (decision: Decision, streamerId: string, donationId: string) => {
    const outcome = isId(donationId) ? await decide(deps, decision, { streamerId, donationId }) : "unknown";
    return answerOutcome(streamerId, { outcome, conflict: conflicts[decision] });
  };
  return {
    getAlertQueue: async (_request, { streamerId }) => ({ status: 200, body: { data: await readQueue(knex, streamerId) } }),
    pauseAlerts: (_request, { streamerId }) => answerQueue(streamerId, setPaused(knex, streamerId, true)),
    resumeAlerts: (_request, { streamerId }) => answerQueue(streamerId, setPaused(knex, streamerId, false)),
    hideAlerts: (_request, { streamerId }) => answerQueue(streamerId, setHidden(knex, streamerId, true)),
    unhideAlerts: (_request, { streamerId }) => answerQueue(streamerId, setHidden(knex, streamerId, false)),
    approveAlert: ({ path }, { streamerId }) => decideOn("approve", streamerId, path.donationId),
    maskAlert: ({ path }, { streamerId }) => decideOn("mask", streamerId, path.donationId),
    denyAlert: ({ path }, { streamerId }) => decideOn("deny", streamerId, path.donationId),
    skipAlert: async (_request, { streamerId }) => {
      if (!(await skipPlaying(knex, streamerId))) return refusal("alert_state_conflict", "Nothing plays now.");
      return answerQueue(streamerId);
    },
    skipOneAlert: async ({ path: { donationId } }, { streamerId }) => {
      const outcome = isId(donationId) ? await skipOne(knex, streamerId, donationId) : "unknown";
      return answerOutcome(streamerId, { outcome, conflict: "This alert neither waits nor plays." });
    },
    playAlertNext: async ({ path: { donationId } }, { streamerId }) => {
      const outcome = isId(donationId) ? await putNext(deps, streamerId, donationId) : "unknown";
      return answerOutcome(streamerId, { outcome, conflict: "This alert does not wait, or the settings keep it from playing." });
    },
    leadOverlay: async ({ path: { overlayId } }, { streamerId }) => {
      if (!isId(overlayId) || !(await chooseLeader(knex, streamerId, overlayId)))
        return refusal("overlay_not_found", "No such overlay is connected.");
      return answerQueue(streamerId);
    },
    replayAlert: async ({ path }, { streamerId }) => {
      const queued = isId(path.donationId) ? await replay(deps, streamerId, path.donationId) : "unknown";
      if (queued === "unknown") return refusal("alert_not_found", "There is no such donation.");
      if (queued === "void") return refusal("alert_state_conflict", "This donation is void.");
      if (queued === "busy") return refusal("alert_state_conflict", "This alert waits or plays already.");
      hub.changed(streamerId);
      return { status: 201, body: { data: { ...queued, replay: true } } };
    },
    getAlertSettings: async (_request, { streamerId }) =>
      answerSettings((await readOverlay(knex, streamerId))?.settings ?? defaultSettings),
    updateAlertSettings: async ({ header, body }, { streamerId }) => {
      const isExpected = (settings: Settings) => allowsChange(header["If-Match"], etagOf(settings));
      const settings = await saveSettings(knex, streamerId, body, isExpected);
      if (settings === null) return refusal("precondition_failed", "The settings were changed after they were read; nothing was changed.");
      if ("unknownFile" in settings) return refusal("unknown_file", settings.unknownFile);
      hub.changed(streamerId);
      return answerSettings(settings);
    },
  } satisfies Partial<Handlers>;
}

function answerSettings(settings: Settings) {
  return { status: 200, headers: { ETag: etagOf(settings) }, body: { data: settings } } as const;
}

/** Clears the queue. A long one takes many batches: other calls have their turns in between. */
export const clearAlerts =
  (knex: Knex, hub: Hub, slots: FairSlots): Handlers["clearAlerts"] =>
  async (_request, { streamerId }) => {
    const inTurn = <Result>(task: () => Promise<Result>) => slots(streamerId, task);
    const answerQueue = queueAnswers(knex, hub);
    await clearWaiting(knex, streamerId, inTurn);
    return inTurn(() => answerQueue(streamerId));
  };

export const sendTestAlert =
  (recordTest: RecordTest): Handlers["sendTestAlert"] =>
  async ({ body }, principal) => {
    const donation = await recordTest(principal, body);
    return { status: 201, headers: { Location: `/api/v1/donations/${donation.id}` }, body: { data: donation } };
  };

type Outcome = { outcome: "done" | "unknown" | "conflict"; conflict: string };

/** Answers the queue as it is after the change. */
function queueAnswers(knex: Knex, hub: Hub) {
  return async (streamerId: string, change?: Promise<void>) => {
    await change;
    hub.changed(streamerId);
    return { status: 200, body: { data: await readQueue(knex, streamerId) } } as const;
  };
}

const notHeld = "This alert is not held, or no longer.";
const conflicts: Record<Decision, string> = {
  approve: notHeld,
  mask: notHeld,
  deny: "This alert is neither held nor waiting nor playing.",
};
