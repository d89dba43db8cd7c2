// The operations by which a streamer controls the alert queue and the alert settings.

import type { Knex } from "knex";
import type { FairSlots } from "../base/fair-slots.ts";
import { isId } from "../http/contract/published.ts";
import type { Handler, Principal, Schemas } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import type { Hub } from "./connections/hub.ts";
import { type Decision, decide } from "./queue/approval.ts";
import { clearWaiting, putNext, saveSettings, setHidden, setPaused, skipOne, skipPlaying } from "./queue/controls.ts";
import { replay } from "./queue/intake.ts";
import { readOverlay } from "./queue/overlay.ts";
import { readQueue } from "./queue/read-queue.ts";
import { defaultSettings } from "./settings/settings.ts";

export type TestAlert = Required<Schemas["TestAlert"]>;

export type ControlDeps = {
  knex: Knex;
  hub: Pick<Hub, "changed">;
  /** Whether there is a speech engine. */
  hasSpeech: boolean;
  /** Time without a connected player after which a waiting alert expires. */
  absenceLimitMs: number;
  /** Records a test donation, which no report counts, and resolves to it as the caller may see it. */
  recordTest: (by: Principal, test: TestAlert) => Promise<Schemas["Donation"]>;
};

export const getAlertQueue =
  ({ knex }: Pick<ControlDeps, "knex">): Handler<"getAlertQueue"> =>
  async (_request, { streamerId }) => ({ status: 200, body: { data: await readQueue(knex, streamerId) } });

export const pauseAlerts =
  (deps: ControlDeps): Handler<"pauseAlerts"> =>
  async (_request, { streamerId }) =>
    applyControl(deps, streamerId, setPaused(deps.knex, streamerId, true));

export const resumeAlerts =
  (deps: ControlDeps): Handler<"resumeAlerts"> =>
  async (_request, { streamerId }) =>
    applyControl(deps, streamerId, setPaused(deps.knex, streamerId, false));

export const hideAlerts =
  (deps: ControlDeps): Handler<"hideAlerts"> =>
  async (_request, { streamerId }) =>
    applyControl(deps, streamerId, setHidden(deps.knex, streamerId, true));

export const unhideAlerts =
  (deps: ControlDeps): Handler<"unhideAlerts"> =>
  async (_request, { streamerId }) =>
    applyControl(deps, streamerId, setHidden(deps.knex, streamerId, false));

export const skipAlert =
  (deps: ControlDeps): Handler<"skipAlert"> =>
  async (_request, { streamerId }) => {
    if (!(await skipPlaying(deps.knex, streamerId))) return refusal("alert_state_conflict", "Nothing plays now.");
    return applyControl(deps, streamerId);
  };

export const skipOneAlert =
  (deps: ControlDeps): Handler<"skipOneAlert"> =>
  async ({ path: { donationId } }, { streamerId }) => {
    const outcome = isId(donationId) ? await skipOne(deps.knex, streamerId, donationId) : "unknown";
    return answerOutcome(deps, streamerId, { outcome, conflict: "This alert neither waits nor plays." });
  };

export const playAlertNext =
  (deps: ControlDeps): Handler<"playAlertNext"> =>
  async ({ path: { donationId } }, { streamerId }) => {
    const outcome = isId(donationId) ? await putNext(deps.knex, streamerId, donationId, deps) : "unknown";
    return answerOutcome(deps, streamerId, { outcome, conflict: "This alert does not wait, or the settings keep it from playing." });
  };

export const clearAlerts =
  (deps: ControlDeps & { slots: FairSlots }): Handler<"clearAlerts"> =>
  async (_request, { streamerId }) => {
    // A long queue takes many batches: other calls have their turns in between.
    const inTurn = <Result>(task: () => Promise<Result>) => deps.slots(streamerId, task);
    await clearWaiting(deps.knex, streamerId, inTurn);
    return inTurn(() => applyControl(deps, streamerId));
  };

export const sendTestAlert =
  ({ recordTest }: ControlDeps): Handler<"sendTestAlert"> =>
  async ({ body }, principal) => {
    const donation = await recordTest(principal, body);
    return { status: 201, headers: { Location: `/api/v1/donations/${donation.id}` }, body: { data: donation } };
  };

export const replayAlert =
  ({ knex, hub, hasSpeech }: ControlDeps): Handler<"replayAlert"> =>
  async ({ path }, { streamerId }) => {
    const queued = isId(path.donationId) ? await replay(knex, streamerId, path.donationId, hasSpeech) : "unknown";
    if (queued === "unknown") return refusal("alert_not_found", "There is no such donation.");
    if (queued === "void") return refusal("alert_state_conflict", "This donation is void.");
    if (queued === "busy") return refusal("alert_state_conflict", "This alert waits or plays already.");
    hub.changed(streamerId);
    return { status: 201, body: { data: { ...queued, replay: true } } };
  };

export const getAlertSettings =
  ({ knex }: Pick<ControlDeps, "knex">): Handler<"getAlertSettings"> =>
  async (_request, { streamerId }) => ({
    status: 200,
    body: { data: (await readOverlay(knex, streamerId))?.settings ?? defaultSettings },
  });

export const updateAlertSettings =
  ({ knex, hub }: ControlDeps): Handler<"updateAlertSettings"> =>
  async ({ body }, { streamerId }) => {
    const settings = await saveSettings(knex, streamerId, body);
    if ("unknownFile" in settings) return refusal("unknown_file", settings.unknownFile);
    hub.changed(streamerId);
    return { status: 200, body: { data: settings } };
  };

async function applyControl({ knex, hub }: ControlDeps, streamerId: string, control?: Promise<void>) {
  await control;
  hub.changed(streamerId);
  return { status: 200, body: { data: await readQueue(knex, streamerId) } } as const;
}

export const approveAlert =
  (deps: ControlDeps): Handler<"approveAlert"> =>
  ({ path }, { streamerId }) =>
    decideOn(deps, "approve", { ...path, streamerId });

export const maskAlert =
  (deps: ControlDeps): Handler<"maskAlert"> =>
  ({ path }, { streamerId }) =>
    decideOn(deps, "mask", { ...path, streamerId });

export const denyAlert =
  (deps: ControlDeps): Handler<"denyAlert"> =>
  ({ path }, { streamerId }) =>
    decideOn(deps, "deny", { ...path, streamerId });

async function decideOn(deps: ControlDeps, decision: Decision, { streamerId, donationId }: { streamerId: string; donationId: string }) {
  const { knex, hasSpeech } = deps;
  const outcome = isId(donationId) ? await decide(knex, streamerId, donationId, { decision, hasSpeech }) : "unknown";
  return answerOutcome(deps, streamerId, { outcome, conflict: conflicts[decision] });
}

type Outcome = { outcome: "done" | "unknown" | "conflict"; conflict: string };

async function answerOutcome(deps: ControlDeps, streamerId: string, { outcome, conflict }: Outcome) {
  if (outcome === "unknown") return refusal("alert_not_found", "There is no such donation.");
  if (outcome === "conflict") return refusal("alert_state_conflict", conflict);
  return applyControl(deps, streamerId);
}

const notHeld = "This alert is not held, or no longer.";
const conflicts: Record<Decision, string> = {
  approve: notHeld,
  mask: notHeld,
  deny: "This alert is neither held nor waiting nor playing.",
};
