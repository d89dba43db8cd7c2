// Opens a page coordinator, in a SharedWorker or in this page, and exchanges messages with it.

import { overlayApi } from "../core/api.ts";
import { systemClock } from "../core/clock.ts";
import type { FromPage, ToPage } from "../core/messages.ts";
import { makePageCoordinator } from "../core/page-coordinator.ts";

export type Port = { post: (message: FromPage) => void; close: () => void };

/** Throws where there are no SharedWorkers. `onFailure`: the worker's script did not load. */
export function openWorker(receive: (message: ToPage) => void, onFailure: () => void): Port {
  const worker = new SharedWorker(new URL(document.documentElement.dataset.worker ?? "", document.baseURI), "overlay");
  let isOpen = true;
  worker.onerror = () => isOpen && onFailure();
  worker.port.onmessage = ({ data }: MessageEvent<ToPage>) => isOpen && receive(data);
  return {
    post: (message) => worker.port.postMessage(message),
    close: () => {
      isOpen = false;
      worker.port.close();
    },
  };
}

export function openInPage(receive: (message: ToPage) => void): Port {
  let send: (message: FromPage) => void = () => {};
  const post = (message: FromPage) => {
    if (message.type !== "hello") return send(message);
    const api = overlayApi(message.api, message.key);
    send = makePageCoordinator({ api, clock: systemClock, random: Math.random }).join(message, (reply) =>
      queueMicrotask(() => receive(reply)),
    );
  };
  return { post, close: () => {} };
}
