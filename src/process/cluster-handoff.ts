// Connections on their way to a worker. node:cluster keeps one open in the primary until the worker says that it took it, and forgets
// it when the worker dies before that: whoever sent it would wait for ever. Here it is closed, and can be opened again at once.

import type { Worker } from "node:cluster";

/** What node:cluster hands over. `fd` is below 0 once it is closed. */
type Handle = { fd: number; close: () => void };

/** Call it in the primary, as soon as the worker is made. */
export function closeUntaken(worker: Worker): void {
  const underWay = new Set<Handle>();
  const channel = worker.process as { send: (message: object, handle?: Handle, ...others: unknown[]) => boolean };
  const send = channel.send.bind(worker.process);
  channel.send = (message, handle, ...others) => {
    for (const one of underWay) if (one.fd < 0) underWay.delete(one); // there is hardly more than one
    if (handle && isConnection(message)) underWay.add(handle);
    return send(message, handle, ...others);
  };
  worker.once("exit", () => {
    for (const handle of underWay) if (handle.fd >= 0) handle.close();
  });
}

/** As node:cluster words it (lib/internal/cluster/round_robin_handle.js); workers.test.ts notices when it says it otherwise. */
function isConnection(message: object): boolean {
  return "act" in message && message.act === "newconn";
}
