// Closes connections that a dead worker did not accept. node:cluster keeps a connection open in the primary until the worker accepts it, and
// never closes it when the worker dies before that, so that its client would wait for ever.

import type { Worker } from "node:cluster";

/** A connection that node:cluster hands over. `fd` is below 0 once it is closed. */
type Handle = { fd: number; close: () => void };

/** Call it in the primary, as soon as the worker is created. */
export function closeUnaccepted(worker: Worker): void {
  const underWay = new Set<Handle>();
  const channel = worker.process as { send: (message: object, handle?: Handle, ...others: unknown[]) => boolean };
  const send = channel.send.bind(worker.process);
  channel.send = (message, handle, ...others) => {
    for (const other of underWay) if (other.fd < 0) underWay.delete(other); // there is rarely more than one
    if (handle && isConnection(message)) underWay.add(handle);
    return send(message, handle, ...others);
  };
  worker.once("exit", () => {
    for (const handle of underWay) if (handle.fd >= 0) handle.close();
  });
}

/** The message of node:cluster (lib/internal/cluster/round_robin_handle.js). workers.test.ts fails when its form changes. */
function isConnection(message: object): boolean {
  return "act" in message && message.act === "newconn";
}
