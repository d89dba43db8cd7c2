// Connects a page with its coordinator: in the SharedWorker of this browser, else in the page itself. One of them answers on a port. Keeps what
// the player of an overlay key has in the browser's storage: its id, by which the server recognises a player that comes back, and its unsent ends.

import { makeUnsentEnds, storedName, type UnsentEnds } from "../core/acknowledgements.ts";
import { overlayApi } from "../core/api.ts";
import { systemClock } from "../core/clock.ts";
import type { FromPage, Hello, PageKind, ToPage } from "../core/messages.ts";
import { makePageCoordinator, type PageCoordinator, servePage } from "../core/page-coordinator.ts";
import { type Activity, isInObs, watchActivity } from "./presence.ts";

/** A page that wants a coordinator. */
type LinkedPage = {
  /** The overlay key. */
  key: string;
  kind: PageKind;
  /** What this page plays, for a coordinator that starts while an alert is on screen. */
  playing: () => Hello["playing"];
  onMessage: (message: ToPage) => void;
};

export type Link = { post: (message: FromPage) => void };

type State = LinkedPage & {
  activity: Activity;
  storage: () => Storage;
  unsentEnds: UnsentEnds;
  /** Null before the first connection. */
  port: Port | null;
  heardAt: number;
  /** Attempts since the last message: after each one a worker is given more time, because a busy computer starts it slowly. */
  unanswered: number;
  /** Failures of the worker's script in a row. */
  failures: number;
  /** The next attempt after a failure. */
  retry: ReturnType<typeof setTimeout> | undefined;
};

/** The coordinator pings once a second. A silent worker has died: it lives in the process of one of its pages. */
const silenceLimitMs = 4_000;
/** The same before the first message of a worker, times the number of attempts up to `maxPatience`. */
const firstMessageLimitMs = 2_000;
const maxPatience = 4;
const checkIntervalMs = 1_000;
/** How often a worker whose script does not load is tried. */
const maxAttempts = 3;
/** Before the next attempt, times the number of failures. */
const retryMs = 1_000;

export function linkToCoordinator(page: LinkedPage): Link {
  const storage = () => localStorage;
  const unsentEnds = unsentEndsIn(storage, page.key);
  const fresh = { port: null, heardAt: performance.now(), unanswered: 0, failures: 0, retry: undefined };
  const activity = watchActivity((active) => link.port?.post({ type: "activity", active }));
  const link: State = { ...page, activity, storage, unsentEnds, ...fresh };
  try {
    connectWorker(link);
    setInterval(() => reconnectIfSilent(link), checkIntervalMs);
  } catch {
    connectInPage(link); // there are no SharedWorkers, or not for this page
  }
  addEventListener("pagehide", () => link.port?.post({ type: "bye" }));
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  return {
    post: (message) => {
      if (message.type === "ended") link.unsentEnds.add(message.playbackId);
      link.port?.post(message);
    },
  };
}

function connectWorker(link: State): void {
  leave(link);
  link.heardAt = performance.now();
  link.unanswered += 1;
  const receiveFromPort = (message: ToPage) => receive(link, message);
  link.port = openWorker(receiveFromPort, () => {
    link.failures += 1;
    if (link.failures < maxAttempts) link.retry = setTimeout(connectWorker, retryMs * link.failures, link);
    else connectInPage(link);
  });
  sayHello(link);
}

/** Without a worker each page stands alone: it has its own player id and its own unsent ends. */
function connectInPage(link: State): void {
  leave(link);
  link.storage = () => sessionStorage;
  link.unsentEnds = unsentEndsIn(link.storage, link.key);
  link.port = openInPage((message) => receive(link, message));
  sayHello(link);
}

function reconnectIfSilent(link: State): void {
  const { unanswered } = link;
  const limitMs = unanswered === 0 ? silenceLimitMs : firstMessageLimitMs * Math.min(unanswered, maxPatience);
  if (performance.now() - link.heardAt >= limitMs) connectWorker(link);
}

/** A page has one port at a time: on a second one it would be taken for another page, which answers no pings. */
function leave(link: State): void {
  clearTimeout(link.retry);
  link.port?.post({ type: "bye" });
  link.port?.close();
}

function sayHello({ key, kind, storage, playing, unsentEnds, activity, port }: State): void {
  const known = { player: playerId(storage, key), playing: playing(), ended: unsentEnds.list() };
  const presence = { client: isInObs() ? "obs" : "browser", active: activity.isActive() } as const;
  port?.post({ type: "hello", key, kind, api: apiAddress(), ...known, ...presence });
}

function receive(link: State, message: ToPage): void {
  link.heardAt = performance.now();
  link.unanswered = 0;
  link.failures = 0;
  if (message.type === "ping") link.port?.post({ type: "pong" });
  if (message.type === "welcome") savePlayerId(link, message.player);
  if (message.type === "settled") link.unsentEnds.settle(message.playbackId);
  if (message.type === "settings") document.documentElement.hidden = message.hidden === true;
  link.onMessage(message);
  if (message.type === "lost") sayHello(link);
}

/** Pages stand one level below the server's root, wherever that is. */
function apiAddress(): string {
  return new URL("../api/v1/", document.baseURI).href;
}

type Port = { post: (message: FromPage) => void; close: () => void };

/** Throws where there are no SharedWorkers. `onFailure`: the worker's script did not load. */
function openWorker(receive: (message: ToPage) => void, onFailure: () => void): Port {
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

function openInPage(receive: (message: ToPage) => void): Port {
  let coordinator: PageCoordinator | null = null;
  const coordinatorOf = ({ api, key }: Hello) => {
    coordinator ??= makePageCoordinator(overlayApi(api, key), systemClock, Math.random);
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

/** `storage`: localStorage if one worker serves all pages; sessionStorage if each page has its own coordinator. */
function playerId(storage: () => Storage, key: string): string {
  const stored = nullOnError(() => storage().getItem(storedName("player", key)));
  if (stored && /^[\w-]{1,64}$/.test(stored)) return stored;
  const created = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  savePlayerId({ storage, key }, created);
  return created;
}

function savePlayerId({ storage, key }: Pick<State, "storage" | "key">, id: string): void {
  nullOnError(() => storage().setItem(storedName("player", key), id));
}

/** Storage throws if it is disabled; values are then kept as long as their page. */
function nullOnError<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

/** In the same storage as the player id, because the server takes an end only from the player that the playback was handed to. */
function unsentEndsIn(storage: () => Storage, key: string): UnsentEnds {
  const name = storedName("unsettled", key);
  return makeUnsentEnds({
    read: () => nullOnError(() => storage().getItem(name)),
    write: (text) => nullOnError(() => storage().setItem(name, text)),
  });
}
