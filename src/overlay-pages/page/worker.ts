// The SharedWorker: holds the page coordinators of all overlay keys that pages of this browser use. Its address never changes, so that
// pages of an older and a newer version share it.

import { overlayApi } from "../core/api.ts";
import { systemClock } from "../core/clock.ts";
import type { FromPage, Hello } from "../core/messages.ts";
import { makePageCoordinator, type PageCoordinator, servePage } from "../core/page-coordinator.ts";

const coordinators = new Map<string, PageCoordinator>();

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  const receive = servePage(coordinatorOf, (message) => port.postMessage(message));
  port.onmessage = ({ data }: MessageEvent<FromPage>) => receive(data);
});

function coordinatorOf({ key, api }: Hello): PageCoordinator {
  const coordinator = coordinators.get(key) ?? makePageCoordinator(overlayApi(api, key), systemClock, Math.random);
  coordinators.set(key, coordinator);
  return coordinator;
}
