import { expect } from "vitest";

import { type Reply, send } from "../client/http-client.ts";
import { operations } from "../oracle/contract.ts";
import { target } from "../server/target.ts";
import type { Inputs } from "./inputs.ts";

/** The operations that undo others, called only on a server of ours. */
const undoOperations: Record<string, string> = { pauseAlerts: "resumeAlerts", sendTestAlert: "clearAlerts", replayAlert: "clearAlerts" };

/** Runs `act`, then restores the streamer's settings and queue. */
export async function restoringState(inputs: Inputs, key: string | null, act: () => Promise<void>): Promise<void> {
  const { id, method, path } = inputs.operation;
  const settings =
    /^(PATCH|PUT)$/.test(method) && operations.some((one) => one.method === "GET" && one.path === path && !path.includes("{"));
  const before = settings ? await send({ path, key }) : null;
  const webhooks = id === "createWebhook" ? await webhookIds(key) : null;
  try {
    await act();
  } finally {
    if (before) await restore(inputs, key, before);
    const undo = target().foreign ? undefined : operations.find((one) => one.id === undoOperations[id]);
    if (undo) await send({ method: undo.method, path: undo.path, key });
    if (webhooks) await deleteOtherWebhooks(key, webhooks);
  }
}

async function webhookIds(key: string | null): Promise<string[]> {
  const { body } = await send({ path: "/api/v1/webhooks", key });
  return (body as { data: { id: string }[] }).data.map(({ id }) => id);
}

async function deleteOtherWebhooks(key: string | null, kept: readonly string[]): Promise<void> {
  const added = (await webhookIds(key)).filter((id) => !kept.includes(id));
  for (const id of added) await send({ method: "DELETE", path: `/api/v1/webhooks/${id}`, key });
}

async function restore({ operation, body }: Inputs, key: string | null, { body: answer }: Reply): Promise<void> {
  const { data } = answer as { data: Record<string, unknown> };
  const known = Object.keys(body?.shape.properties ?? {}).filter((name) => name in data);
  const settings = Object.fromEntries(known.map((name) => [name, data[name]]));
  const headers = { "Content-Type": body?.mediaType ?? "application/json" };
  const reply = await send({ method: operation.method, path: operation.path, key, headers, body: JSON.stringify(settings) });
  expect(reply.status, `the settings could not be put back: ${reply.text}`).toBeLessThan(300);
}
