// What a streamer does to the alert queue by hand, and how alerts behave.

import type { Knex } from "knex";
import type { Handler, Principal, Schemas } from "../http/operations.ts";
import { refusal } from "../http/problem.ts";
import { isId } from "../http/published.ts";
import type { Hub } from "./hub.ts";
import { defaultSettings } from "./settings.ts";
import { clearWaiting, replay, saveSettings, setPaused, skipPlaying } from "./store/controls.ts";
import { readOverlay } from "./store/overlay.ts";
import { readQueue } from "./store/queue.ts";

export type TestAlert = Required<Schemas["TestAlert"]>;

export type ControlParts = {
  knex: Knex;
  hub: Pick<Hub, "changed">;
  /** Whether there is anything that speaks. */
  speaks: boolean;
  /** Records a donation that counts nowhere, and answers it as its caller may see it. */
  recordTest: (by: Principal, test: TestAlert) => Promise<Schemas["Donation"]>;
};

export const getAlertQueue =
  ({ knex }: Pick<ControlParts, "knex">): Handler<"getAlertQueue"> =>
  async (_request, { streamerId }) => ({ status: 200, body: { data: await readQueue(knex, streamerId) } });

export const pauseAlerts =
  (parts: ControlParts): Handler<"pauseAlerts"> =>
  async (_request, { streamerId }) =>
    queueAfter(parts, streamerId, setPaused(parts.knex, streamerId, true));

export const resumeAlerts =
  (parts: ControlParts): Handler<"resumeAlerts"> =>
  async (_request, { streamerId }) =>
    queueAfter(parts, streamerId, setPaused(parts.knex, streamerId, false));

export const skipAlert =
  (parts: ControlParts): Handler<"skipAlert"> =>
  async (_request, { streamerId }) => {
    if (!(await skipPlaying(parts.knex, streamerId))) return refusal("alert_state_conflict", "Nothing plays now.");
    return queueAfter(parts, streamerId);
  };

export const clearAlerts =
  (parts: ControlParts): Handler<"clearAlerts"> =>
  async (_request, { streamerId }) =>
    queueAfter(parts, streamerId, clearWaiting(parts.knex, streamerId));

export const sendTestAlert =
  ({ recordTest }: ControlParts): Handler<"sendTestAlert"> =>
  async ({ body }, principal) => {
    const donation = await recordTest(principal, body);
    return { status: 201, headers: { Location: `/api/v1/donations/${donation.id}` }, body: { data: donation } };
  };

export const replayAlert =
  ({ knex, hub, speaks }: ControlParts): Handler<"replayAlert"> =>
  async ({ path }, { streamerId }) => {
    const queued = isId(path.donationId) ? await replay(knex, streamerId, path.donationId, speaks) : "unknown";
    if (queued === "unknown") return refusal("alert_not_found", "There is no such donation.");
    if (queued === "busy") return refusal("alert_state_conflict", "This alert waits or plays already.");
    hub.changed(streamerId);
    return { status: 201, body: { data: { ...queued, replay: true } } };
  };

export const getAlertSettings =
  ({ knex }: Pick<ControlParts, "knex">): Handler<"getAlertSettings"> =>
  async (_request, { streamerId }) => ({
    status: 200,
    body: { data: (await readOverlay(knex, streamerId))?.settings ?? defaultSettings },
  });

export const updateAlertSettings =
  ({ knex, hub }: ControlParts): Handler<"updateAlertSettings"> =>
  async ({ body }, { streamerId }) => {
    const settings = await saveSettings(knex, streamerId, body);
    hub.changed(streamerId);
    return { status: 200, body: { data: settings } };
  };

async function queueAfter({ knex, hub }: ControlParts, streamerId: string, control?: Promise<void>) {
  await control;
  hub.changed(streamerId);
  return { status: 200, body: { data: await readQueue(knex, streamerId) } } as const;
}
