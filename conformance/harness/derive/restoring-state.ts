// Restores settings and queue after a rule that changes them.

import { expect } from "vitest";

import { type Reply, send } from "../client/http-client.ts";
import { cleanUp } from "../generators/file-time.ts";
import { operations } from "../oracle/contract.ts";
import { target } from "../server/target.ts";
import type { Inputs } from "./inputs.ts";

/** The operations that undo others, called only on a server of ours. */
const undoOperations: Record<string, string> = { pauseAlerts: "resumeAlerts", sendTestAlert: "clearAlerts", replayAlert: "clearAlerts" };

/** Where what an operation creates is listed, and deleted by its id. */
const createdBy: Record<string, string> = { createWebhook: "/api/v1/webhooks", uploadAlertFile: "/api/v1/alert-files" };

/** Runs `act`, then restores the streamer's settings and queue. */
export async function restoringState(inputs: Inputs, key: string | null, act: () => Promise<void>): Promise<void> {
  const { id, method, path } = inputs.operation;
  const settings =
    /^(PATCH|PUT)$/.test(method) && operations.some((one) => one.method === "GET" && one.path === path && !path.includes("{"));
  const before = settings ? await send({ path, key }) : null;
  const created = createdBy[id];
  const known = created ? await idsAt(key, created) : [];
  try {
    await act();
  } finally {
    await cleanUp(async () => {
      if (before) await restore(inputs, key, before);
      const undo = target().foreign ? undefined : operations.find((one) => one.id === undoOperations[id]);
      if (undo) await send({ method: undo.method, path: undo.path, key });
      if (created) await deleteOthers(key, created, known);
    });
  }
}

async function idsAt(key: string | null, list: string): Promise<string[]> {
  const { body } = await send({ path: list, key });
  return (body as { data: { id: string }[] }).data.map(({ id }) => id);
}

async function deleteOthers(key: string | null, list: string, kept: readonly string[]): Promise<void> {
  const added = (await idsAt(key, list)).filter((id) => !kept.includes(id));
  for (const id of added) await send({ method: "DELETE", path: `${list}/${id}`, key });
}

async function restore({ operation, body }: Inputs, key: string | null, { body: answer }: Reply): Promise<void> {
  const { data } = answer as { data: Record<string, unknown> };
  const known = Object.keys(body?.shape.properties ?? {}).filter((name) => name in data);
  const settings = Object.fromEntries(known.map((name) => [name, data[name]]));
  const headers = { "Content-Type": body?.mediaType ?? "application/json" };
  const reply = await send({ method: operation.method, path: operation.path, key, headers, body: JSON.stringify(settings) });
  expect(reply.status, `the settings could not be put back: ${reply.text}`).toBeLessThan(300);
}
