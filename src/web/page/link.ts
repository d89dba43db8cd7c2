// Connects a page with its station: in the SharedWorker of this browser, else in the page itself.

import { overlayApi } from "../core/api.ts";
import { systemClock } from "../core/clock.ts";
import type { FromPage, Hello, ToPage } from "../core/messages.ts";
import { makeStation } from "../core/page-coordinator.ts";
import { makeUnsettled, nameOfUnsettled, type Unsettled } from "../core/unsent-ends.ts";
import { keepPlayerId, playerId, quietly } from "./player-id.ts";

export type LinkParts = Pick<Hello, "key" | "kind"> & {
  /** What this page plays, for a station that doesn't know. */
  playing: () => Hello["playing"];
  onMessage: (message: ToPage) => void;
};

export type Link = { post: (message: FromPage) => void };

type Port = Link & { close: () => void };

/** The station pings once a second; a worker that is silent for so long has died (it lives in the process of one of its pages). */
const silence = 4_000;
/** The same before its first word. */
const patience = 2_000;
/** How often a worker whose script did not load is tried. */
const tries = 3;

export function linkToStation({ key, kind, playing, onMessage }: LinkParts): Link {
  let storage = () => localStorage;
  let unsettled = unsettledIn(storage, key);
  let heard = performance.now();
  let failures = 0;
  let answered = false;
  let port: Port;

  const receive = (message: ToPage) => {
    heard = performance.now();
    answered = true;
    if (message.type === "ping") port.post({ type: "pong" });
    if (message.type === "welcome") keepPlayerId(storage, message.player);
    if (message.type === "settled") unsettled.settle(message.playbackId);
    onMessage(message);
    if (message.type === "lost") greet();
  };
  const greet = () => {
    const known = { player: playerId(storage), playing: playing(), ended: unsettled.list() };
    port.post({ type: "hello", key, kind, api: apiAddress(), ...known });
  };
  const alone = () => {
    storage = () => sessionStorage;
    unsettled = unsettledIn(storage, key);
    port = openStation(receive);
    greet();
  };
  const connect = () => {
    heard = performance.now();
    answered = false;
    port = openWorker(receive, () => {
      failures += 1;
      if (failures < tries) setTimeout(connect, 1_000 * failures);
      else alone();
    });
    greet();
  };
  const reconnectWhenSilent = () => {
    if (performance.now() - heard < (answered ? silence : patience)) return;
    port.post({ type: "bye" });
    port.close();
    connect();
  };

  try {
    connect();
    setInterval(reconnectWhenSilent, 1_000);
  } catch {
    alone(); // there are no SharedWorkers, or not for this page
  }
  addEventListener("pagehide", () => port.post({ type: "bye" }));
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  return {
    post: (message) => {
      if (message.type === "ended") unsettled.add(message.playbackId);
      port.post(message);
    },
  };
}

/** Beside the player id, which the server wants to hear with them. */
function unsettledIn(storage: () => Storage, key: string): Unsettled {
  const name = nameOfUnsettled(key);
  return makeUnsettled({
    read: () => quietly(() => storage().getItem(name)),
    write: (text) => quietly(() => storage().setItem(name, text)),
  });
}

function openWorker(receive: (message: ToPage) => void, onFailure: () => void): Port {
  const worker = new SharedWorker(new URL(document.documentElement.dataset.worker ?? "", document.baseURI), "overlay");
  let live = true;
  worker.onerror = () => live && onFailure();
  worker.port.onmessage = ({ data }: MessageEvent<ToPage>) => live && receive(data);
  return {
    post: (message) => worker.port.postMessage(message),
    close: () => {
      live = false;
      worker.port.close();
    },
  };
}

/** The same station in this page. */
function openStation(receive: (message: ToPage) => void): Port {
  let tell: (message: FromPage) => void = () => {};
  const post = (message: FromPage) => {
    if (message.type !== "hello") return tell(message);
    const api = overlayApi(message.api, message.key);
    tell = makeStation({ api, clock: systemClock, random: Math.random }).join(message, (answer) => queueMicrotask(() => receive(answer)));
  };
  return { post, close: () => {} };
}

/** Pages stand one level below the server's root, wherever that is. */
function apiAddress(): string {
  return new URL("../api/v1/", document.baseURI).href;
}
