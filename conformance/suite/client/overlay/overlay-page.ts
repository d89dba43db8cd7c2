// Plays the part of an overlay page: follows the stream and acknowledges playbacks.

import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, type TestContext } from "vitest";

import type { components } from "../../../../generated/api.d.ts";
import { sealed } from "../../contract/contract.ts";
import type { Reply } from "../../contract/http-request.ts";
import { freshKey } from "../../values/donations.ts";
import { stateLimitMs } from "../../values/run-settings.ts";
import { endAsNotRun } from "../../values/running.ts";
import { keyOf, keyVariables, target } from "../../values/target.ts";
import { checkAnswer } from "../check-answer.ts";
import { connectToEvents, expectWholeLines, onEventBlock } from "../events/event-stream.ts";
import { send } from "../http-client.ts";
import { guarded } from "../protection/guard.ts";
import { recordRequest } from "../trace.ts";

type OverlayEvent = components["schemas"]["OverlayEvent"];
export type Playback = components["schemas"]["Playback"];
type Data<Name extends OverlayEvent["event"]> = Extract<OverlayEvent, { event: Name }>["data"];

export type Page = {
  player: string;
  /** All events so far. */
  events: OverlayEvent[];
  /** Number of comment lines received. */
  comments: () => number;
  headers: IncomingMessage["headers"];
  /** Waits for the next unread event of this kind that matches. */
  next: <Name extends OverlayEvent["event"]>(name: Name, matches?: (data: Data<Name>) => boolean) => Promise<Data<Name>>;
  /** Expects no unread event of this kind, for a short while. */
  expectNothing: (name: OverlayEvent["event"]) => Promise<void>;
  /** Resolves when the server ends the stream. */
  ended: Promise<void>;
  close: () => void;
};

type Visit = {
  key?: string;
  player?: string;
  plays?: boolean;
  playing?: string;
  client?: "obs" | "browser";
  active?: boolean;
  server?: string;
};

const quietMs = 400;
const opened = new Set<Page>();

/** Follows the stream, by default with the overlay key of main's streamer; checks every event against the contract. */
export async function follow(visit: Visit = {}): Promise<Page> {
  const { key = overlayKey(), player = freshPlayer(), plays = true, playing, client, active, server } = visit;
  const where = { ...(client && { client }), ...(active !== undefined && { active: String(active) }) };
  const query = new URLSearchParams({ player, plays: String(plays), ...(playing !== undefined && { playing }), ...where });
  const request = { path: `/api/v1/overlay/stream?${query}`, key, ...(server === undefined ? {} : { server }) };
  const exchange = recordRequest(request);
  const { message, ...head } = await guarded(request, () => connectToEvents(`${server ?? target().url}${request.path}`, key));
  exchange.reply = head;
  expect(head.status, "the stream was refused").toBe(200);
  checkAnswer(request, head);
  return readStream(message, player);
}

/** Closes every open stream except `kept`; for `afterEach`. */
export function closePages(kept?: Page | null): void {
  for (const page of opened)
    if (page !== kept) {
      page.close();
      opened.delete(page);
    }
}

export const freshPlayer = (): string => `p${freshKey()}`.replace(/[^A-Za-z0-9_-]/g, "").slice(0, 64);

export const acknowledge = (
  step: "started" | "ended",
  playbackId: string,
  { player, key = overlayKey(), server }: { player: string; key?: string; server?: string },
): Promise<Reply> =>
  send({
    method: "POST",
    path: `/api/v1/overlay/playbacks/${playbackId}/${step}`,
    key,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ player }),
    ...(server === undefined ? {} : { server }),
  });

/** The playback that a newly connected page must play; waits while its speech is prepared. */
export async function firstPlayback(page: Page): Promise<Playback> {
  return (await page.next("snapshot")).playback ?? page.next("playback");
}

/** Plays the next playback to its end. */
export async function show(page: Page): Promise<Playback> {
  const playback = await page.next("playback");
  for (const step of ["started", "ended"] as const) expect((await acknowledge(step, playback.id, page)).status).toBe(200);
  return playback;
}

/** The overlay key of main's streamer; skips the test where this run has none. */
export const overlayKeyOf = (context: TestContext): string => keyOf(context, "overlay");

const overlayKey = (): string => target().keys.overlay ?? endAsNotRun(`${keyVariables.overlay} is not set`);

function readStream(message: IncomingMessage, player: string): Page {
  const events: OverlayEvent[] = [];
  const seen = new Map<string, number>();
  let comments = 0;
  let failure: unknown = null;
  const collect = (block: string): void => {
    try {
      events.push(parsed(block));
    } catch (error) {
      failure ??= error;
    }
  };
  onEventBlock(message, (block) => {
    if (block.startsWith(":")) comments += 1;
    else collect(block);
  });
  const ended = new Promise<void>((resolve) => void message.once("close", resolve));
  const next: Page["next"] = async (name, matches = () => true) => {
    const deadline = Date.now() + stateLimitMs;
    for (;;) {
      if (failure) throw failure;
      for (let at = seen.get(name) ?? 0; at < events.length; at += 1) {
        const { event, data } = events[at] as { event: string; data: never };
        if (event !== name || !matches(data)) continue;
        seen.set(name, at + 1);
        return data;
      }
      if (Date.now() > deadline) throw new Error(`no event ${name} arrived, only ${JSON.stringify(events.map(({ event }) => event))}`);
      await sleep(5);
    }
  };
  const expectNothing = async (name: OverlayEvent["event"]): Promise<void> => {
    await sleep(quietMs);
    if (failure) throw failure;
    expect(events.slice(seen.get(name)).filter(({ event }) => event === name)).toEqual([]);
  };
  const page: Page = {
    player,
    events,
    comments: () => comments,
    headers: message.headers,
    next,
    expectNothing: expectNothing,
    ended,
    close: () => message.destroy(),
  };
  opened.add(page);
  return page;
}

/** `event` and `data`, one line each, as the contract describes them. */
function parsed(block: string): OverlayEvent {
  expectWholeLines(block);
  const [, event, data] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? [];
  const read = { event, data: JSON.parse(data ?? "null") };
  const faults = sealed("#/components/schemas/OverlayEvent", read);
  if (faults.length > 0)
    throw new Error(`the event ${event} is not as the contract says: ${faults.join("\n  ")}\n  ${block.slice(0, 500)}`);
  return read as OverlayEvent;
}
