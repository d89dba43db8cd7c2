// Opens a page coordinator, in a SharedWorker or in this page, and exchanges messages with it.

import { systemClock } from "../core/clock.ts";
import type { FromPage, Hello, ToPage } from "../core/coordinator/messages.ts";
import { makePageCoordinator, type PageCoordinator } from "../core/coordinator/page-coordinator.ts";
import { servePage } from "../core/coordinator/page-port.ts";
import { overlayApi } from "../core/stream/api.ts";

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
  let coordinator: PageCoordinator | null = null;
  const coordinatorOf = ({ api, key }: Hello) => {
    coordinator ??= makePageCoordinator({ api: overlayApi(api, key), clock: systemClock, random: Math.random });
    return coordinator;
  };
  let isOpen = true;
  const post = servePage(coordinatorOf, (message) => queueMicrotask(() => isOpen && receive(message)));
  return {
    post,
    close: () => {
      isOpen = false;
    },
  };
}
