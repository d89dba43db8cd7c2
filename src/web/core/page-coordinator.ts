// One overlay key in one browser: holds the connection for all its pages, decides which of them plays, and acknowledges.
// It runs in a SharedWorker, or in the page itself where there are none.

import { type Acknowledgement, makeAcknowledgements } from "./acknowledgements.ts";
import type { OverlayApi } from "./api.ts";
import type { Cancel, Clock } from "./clock.ts";
import { makeConnection } from "./connection.ts";
import type { PageSettings, Playback, StreamEvent, Widgets } from "./events.ts";
import type { FromPage, Hello, Status, ToPage } from "./messages.ts";
import { type Page, watchAttendance } from "./page-heartbeats.ts";
import type { ServerEvent } from "./sse.ts";

export type StationParts = { api: OverlayApi; clock: Clock; random: () => number };

export type Station = {
  /** A page has come. What it says next goes to the returned function. */
  join: (hello: Hello, post: (message: ToPage) => void) => (message: FromPage) => void;
};

/** What must be playing. `page`: the one that plays it; null while there is none. */
type Turn = { playback: Playback; page: Page | null; started: boolean };

/** What the connection is for: nothing, widgets, or alerts as well. */
type Mode = "off" | "listens" | "plays";
const modes: readonly Mode[] = ["off", "listens", "plays"];

/** How long the pages that a page load brings are waited for, before the first connection. */
const gathering = 30;
/** How long the connection stays as it is after its last page: a reload takes a moment. */
const grace = 3_000;
/** The same while an alert plays: the page that comes back plays it again. */
const graceInPlay = 10_000;
const endedKept = 1_000;

export function makeStation({ api, clock, random }: StationParts): Station {
  const ended = new Set<string>();
  let player = "";
  let turn: Turn | null = null;
  let mode: Mode = "off";
  let status: Status = "connecting";
  let settings: { paused: boolean; settings: PageSettings } | null = null;
  let widgets: Widgets | null = null;
  let cancelGrace: Cancel = () => {};

  const attendance = watchAttendance(clock, leave);
  const connection = makeConnection({
    ask: (signal) => api.stream({ player, plays: mode === "plays", playing: turn?.playback.id ?? null }, signal),
    clock,
    random,
    onEvent: (event) => handle(parse(event)),
    onLost: () => say("connecting"),
    onRefused: refuse,
  });
  const acknowledgements = makeAcknowledgements({
    send: (acknowledgement) => api.acknowledge(acknowledgement, player),
    clock,
    random,
    onAnswer: ({ playbackId, step }, answer) => {
      if (answer === 401) refuse();
      if (step === "ended") attendance.tell({ type: "settled", playbackId });
      if (answer >= 400 && step === "started" && turn?.playback.id === playbackId) stopTurn(); // it is not ours (any more)
    },
  });
  const acknowledge = (playbackId: string, step: Acknowledgement["step"]) => acknowledgements.add({ playbackId, step });

  // ---- pages ----

  function join(hello: Hello, post: Page["post"]): (message: FromPage) => void {
    const page: Page = { kind: hello.kind, post };
    player ||= hello.player;
    if (status === "refused") retry();
    attendance.add(page);
    post({ type: "welcome", player });
    post({ type: "status", status });
    if (settings) post({ type: "settings", ...settings });
    if (widgets) post({ type: "widgets", widgets });
    for (const id of hello.ended) if (!ended.has(id)) repeatEnd(id);
    if (hello.playing) goOn(page, hello.playing);
    assign();
    adjust();
    return (message) => {
      if (attendance.isHere(page)) listen(page, message);
    };
  }

  function listen(page: Page, message: FromPage): void {
    attendance.heard(page);
    if (message.type === "bye") attendance.remove(page);
    if (message.type !== "started" && message.type !== "ended") return;
    if (turn?.page !== page || turn.playback.id !== message.playbackId) return;
    if (message.type === "started") turn.started = true;
    else finish(turn.playback.id);
    acknowledge(message.playbackId, message.type);
  }

  function leave(page: Page): void {
    if (turn?.page === page) turn = { ...turn, page: null, started: false };
    assign();
    adjust();
  }

  /** A page whose last station died under it goes on playing. */
  function goOn(page: Page, { playback, started }: NonNullable<Hello["playing"]>): void {
    const nothingHeard = settings === null;
    if (!turn && nothingHeard && !ended.has(playback.id)) turn = { playback, page: null, started: false };
    if (turn?.playback.id === playback.id && !turn.page) {
      turn = { playback, page, started };
      if (started) acknowledge(playback.id, "started");
    } else page.post({ type: "stop", playbackId: playback.id });
  }

  // ---- playing ----

  function take(playback: Playback): void {
    const { id } = playback;
    if (turn && turn.playback.id !== id) stopTurn();
    if (ended.has(id)) repeatEnd(id);
    else if (turn) {
      if (turn.started) acknowledge(id, "started");
    } else {
      turn = { playback, page: null, started: false };
      assign();
    }
  }

  /** Gives what must be playing to the first overlay page. */
  function assign(): void {
    const page = turn?.page ? null : attendance.first("overlay");
    if (!turn || !page) return;
    turn = { ...turn, page };
    page.post({ type: "play", playback: turn.playback });
  }

  function stopTurn(): void {
    if (!turn) return;
    turn.page?.post({ type: "stop", playbackId: turn.playback.id });
    acknowledgements.forget(turn.playback.id);
    turn = null;
  }

  /** Never to be played again. */
  function finish(id: string): void {
    if (turn?.playback.id === id) turn = null;
    ended.add(id);
    for (const old of ended) if (ended.size > endedKept) ended.delete(old);
  }

  /** The server has missed the end, and perhaps the start: it hears both, in this order. */
  function repeatEnd(id: string): void {
    finish(id);
    acknowledgements.forget(id);
    acknowledge(id, "started");
    acknowledge(id, "ended");
  }

  // ---- the connection ----

  function handle(event: StreamEvent | null): void {
    if (event?.event === "snapshot") {
      say("live");
      show(event.data);
      renew(event.data.widgets);
      acknowledgements.nudge();
      if (event.data.playback) take(event.data.playback);
      else stopTurn();
    }
    if (event?.event === "playback") take(event.data);
    if (event?.event === "stop" && turn?.playback.id === event.data.playbackId) stopTurn();
    if (event?.event === "settings") show(event.data);
    if (event?.event === "widgets") renew(event.data);
  }

  function show({ paused, settings: newer }: { paused: boolean; settings: PageSettings }): void {
    settings = { paused, settings: newer };
    attendance.tell({ type: "settings", ...settings });
  }

  function renew(newer: Widgets): void {
    widgets = newer;
    attendance.tell({ type: "widgets", widgets });
  }

  function say(newer: Status): void {
    status = newer;
    attendance.tell({ type: "status", status });
  }

  function refuse(): void {
    connection.close();
    stopTurn();
    say("refused");
  }

  /** Whoever loads a page again wants to know whether the key is good now. */
  function retry(): void {
    mode = "off";
    say("connecting");
  }

  /** Asks for more at once, for less after a while. */
  function adjust(): void {
    cancelGrace();
    const wanted: Mode = attendance.first("overlay") ? "plays" : attendance.first("widget") ? "listens" : "off";
    if (wanted === mode || status === "refused") return;
    if (modes.indexOf(wanted) > modes.indexOf(mode)) change(wanted);
    else cancelGrace = clock.after(turn ? graceInPlay : grace, () => change(wanted));
  }

  function change(wanted: Mode): void {
    const waited = mode === "off" ? gathering : 0;
    mode = wanted;
    if (mode !== "plays") turn = null;
    if (mode === "off") connection.close();
    else connection.restart(waited);
  }

  return { join };
}

/** Null for what this version doesn't know. */
function parse({ event, data }: ServerEvent): StreamEvent | null {
  return ["snapshot", "role", "playback", "stop", "settings", "widgets"].includes(event)
    ? ({ event, data: JSON.parse(data) } as StreamEvent)
    : null;
}
