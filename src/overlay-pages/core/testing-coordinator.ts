// A page coordinator with a fake server and fake pages, for its tests.

import { beforeEach } from "vitest";
import type { Playback, Role, WidgetSettings } from "./api.ts";
import type { FromPage, Hello, PageKind, ToPage } from "./messages.ts";
import { makePageCoordinator, type PageCoordinator } from "./page-coordinator.ts";
import { type FakeApi, type FakeClock, type FakeStream, fakeApi, fakeClock, settings } from "./testing.ts";

export type CoordinatorScenario = { api: FakeApi; clock: FakeClock; coordinator: PageCoordinator };

export const widgets = { asOf: "2026-11-20T12:30:00.000Z" };

/** A scenario that begins anew with each test of the file. */
export function useScenario(): CoordinatorScenario {
  const scenario = {} as CoordinatorScenario;
  beforeEach(() => {
    const [api, clock] = [fakeApi(), fakeClock()];
    Object.assign(scenario, { api, clock, coordinator: makePageCoordinator(api, clock, () => 1) });
  });
  return scenario;
}

/** A page that answers pings until it dies. The test reports when a playback has started and ended. */
export function openPage(
  { coordinator }: CoordinatorScenario,
  kind: PageKind = "overlay",
  playing: Hello["playing"] = null,
  ended: string[] = [],
  presence: Pick<Hello, "client" | "active"> = {},
) {
  const received: ToPage[] = [];
  let alive = true;
  let send: (message: FromPage) => void = () => {};
  const receive = (message: ToPage) => {
    if (!alive) return;
    received.push(message);
    if (message.type === "ping") queueMicrotask(() => send({ type: "pong" }));
  };
  send = coordinator.join({ type: "hello", key: "k", api: "/", kind, player: `player of ${kind}`, playing, ended, ...presence }, receive);
  return {
    received,
    commands: () => received.flatMap(commandOf),
    send,
    started: (playbackId: string) => send({ type: "started", playbackId }),
    ended: (playbackId: string) => send({ type: "ended", playbackId }),
    /** A crash: the page does not say good-bye. */
    die: () => {
      alive = false;
    },
  };
}

/** The message as a test compares it; none for messages that are not about playing. */
function commandOf(message: ToPage): string[] {
  if (message.type === "play") return [`${message.leads ? "play" : "follow"} ${message.playback.id}`];
  if (message.type === "load") return [`load ${message.playback.id}`];
  if (message.type === "stop" || message.type === "lead") return [`${message.type} ${message.playbackId}`];
  return message.type === "lost" ? ["lost"] : [];
}

export const snapshotOf = (playback: Playback | null = null, role: Role = "player") => ({
  role,
  paused: false,
  hidden: false,
  settings,
  widget: null as WidgetSettings | null,
  sound: "leader" as const,
  playback,
  widgets,
});

/** The stream that is open, after its snapshot. */
export async function connected(
  { api, clock }: CoordinatorScenario,
  playback: Playback | null = null,
  role: Role = "player",
): Promise<FakeStream> {
  await clock.advance(50);
  const [stream] = api.open();
  if (!stream) throw new Error("there is no connection");
  await stream.send("snapshot", snapshotOf(playback, role));
  return stream;
}

/** Every acknowledgement that was sent, in order. */
export function acknowledged({ api }: CoordinatorScenario): string[] {
  return api.acknowledged.map(({ playbackId, step }) => `${playbackId} ${step}`);
}
