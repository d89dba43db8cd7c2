// Restores settings and queue after a rule that changes them, and deletes what it has created.

import { expect } from "vitest";

import { send } from "../../client/http-client.ts";
import { ownObjects, pathOf } from "../../client/protection/own-objects.ts";
import { operations } from "../../contract/contract.ts";
import type { Reply } from "../../contract/http-request.ts";
import type { Inputs } from "../../contract/inputs.ts";
import { cleanUp } from "../../values/file-time.ts";
import { target } from "../../values/target.ts";

/** The operations that undo others, called only on a server of ours. */
const undoOperations: Record<string, string> = { pauseAlerts: "resumeAlerts", sendTestAlert: "clearAlerts", replayAlert: "clearAlerts" };

/** Runs `act`, then restores the streamer's settings and queue, and deletes the webhooks and files whose ids it was answered. */
export async function restoringState(inputs: Inputs, key: string | null, act: () => Promise<void>): Promise<void> {
  const { id, method, path } = inputs.operation;
  const settings =
    /^(PATCH|PUT)$/.test(method) && operations.some((one) => one.method === "GET" && one.path === path && !path.includes("{"));
  const before = settings ? await send({ path, key }) : null;
  const known = new Set(ownObjects());
  try {
    await act();
  } finally {
    await cleanUp(async () => {
      if (before) await restore(inputs, key, before);
      const undo = target().foreign ? undefined : operations.find((one) => one.id === undoOperations[id]);
      if (undo) await send({ method: undo.method, path: undo.path, key });
      for (const one of [...ownObjects()].filter((object) => !known.has(object)))
        await send({ method: "DELETE", path: pathOf(one), key: one.key });
    });
  }
}

async function restore({ operation, body }: Inputs, key: string | null, { body: answer }: Reply): Promise<void> {
  const { data } = answer as { data: Record<string, unknown> };
  const known = Object.keys(body?.shape.properties ?? {}).filter((name) => name in data);
  const settings = Object.fromEntries(known.map((name) => [name, data[name]]));
  const headers = { "Content-Type": body?.mediaType ?? "application/json" };
  const reply = await send({ method: operation.method, path: operation.path, key, headers, body: JSON.stringify(settings) });
  expect(reply.status, `the settings could not be put back: ${reply.text}`).toBeLessThan(300);
}
