import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { expect, type TestContext } from "vitest";

import type { components } from "../../../generated/api.d.ts";
import { checkAnswer } from "../client/check-answer.ts";
import { type Reply, send } from "../client/http-client.ts";
import { recordRequest } from "../client/trace.ts";
import { freshKey } from "../generators/donations.ts";
import { sealed } from "../oracle/schemas.ts";
import { keyOf, target } from "../server/target.ts";

// What an overlay page does: it follows the stream and says what it has shown.

export type OverlayEvent = components["schemas"]["OverlayEvent"];
export type Playback = components["schemas"]["Playback"];
type Data<Name extends OverlayEvent["event"]> = Extract<OverlayEvent, { event: Name }>["data"];

export type Page = {
  player: string;
  /** Everything that came so far. */
  events: OverlayEvent[];
  /** Comment lines, which come without an event. */
  comments: () => number;
  headers: IncomingMessage["headers"];
  /** The next event of this kind that was not looked at and fits. */
  next: <Name extends OverlayEvent["event"]>(name: Name, fits?: (data: Data<Name>) => boolean) => Promise<Data<Name>>;
  /** Nothing of this kind has come since the last one that was looked at, within a moment. */
  nothing: (name: OverlayEvent["event"]) => Promise<void>;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close: () => void;
};

export type Visit = { key?: string; player?: string; plays?: boolean; playing?: string; server?: string };

const patience = 10_000;
const moment = 400;
const opened = new Set<Page>();

/** Follows the stream with the overlay key of main's streamer, unless told otherwise; every event is checked against the contract. */
export async function follow(visit: Visit = {}): Promise<Page> {
  const { key = target().keys.overlay ?? "", player = freshPlayer(), plays = true, playing, server } = visit;
  const query = new URLSearchParams({ player, plays: String(plays), ...(playing === undefined ? {} : { playing }) });
  const request = { path: `/api/v1/overlay/stream?${query}`, key, ...(server === undefined ? {} : { server }) };
  recordRequest(request);
  const message = await connect(`${server ?? target().url}${request.path}`, key);
  const head: Reply = { status: message.statusCode ?? 0, headers: message.headers, text: "", body: undefined };
  expect(head.status, "the stream was refused").toBe(200);
  checkAnswer(request, head);
  return reading(message, player);
}

/** Ends every stream that is still open, but for one; for `afterEach`. */
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
  { player, key = target().keys.overlay ?? "", server }: { player: string; key?: string; server?: string },
): Promise<Reply> =>
  send({
    method: "POST",
    path: `/api/v1/overlay/playbacks/${playbackId}/${step}`,
    key,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ player }),
    ...(server === undefined ? {} : { server }),
  });

/** What a page that has just come must play: it may have to wait for its speech. */
export async function handed(page: Page): Promise<Playback> {
  return (await page.next("snapshot")).playback ?? page.next("playback");
}

/** Shows what comes next to its end. */
export async function show(page: Page): Promise<Playback> {
  const playback = await page.next("playback");
  for (const step of ["started", "ended"] as const) expect((await acknowledge(step, playback.id, page)).status).toBe(200);
  return playback;
}

/** The overlay key of main's streamer; skips the test where this run has none. */
export const overlayKeyOf = (context: TestContext): string => keyOf(context, "overlay");

async function connect(address: string, key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, Accept: "text/event-stream" };
    httpRequest(address, { agent: new Agent(), headers }, resolve).on("error", reject).end();
  });
}

function reading(message: IncomingMessage, player: string): Page {
  const events: OverlayEvent[] = [];
  const seen = new Map<string, number>();
  let comments = 0;
  let text = "";
  let broken: unknown = null;
  message.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks)
      if (block.startsWith(":")) comments += 1;
      else keep(block);
  });
  const keep = (block: string): void => {
    try {
      events.push(parsed(block));
    } catch (error) {
      broken ??= error;
    }
  };
  message.on("error", () => {});
  const ended = new Promise<void>((resolve) => void message.once("close", resolve));
  const find: Page["next"] = async (name, fits = () => true) => {
    const deadline = Date.now() + patience;
    for (;;) {
      if (broken) throw broken;
      for (let at = seen.get(name) ?? 0; at < events.length; at += 1) {
        const { event, data } = events[at] as { event: string; data: never };
        if (event !== name || !fits(data)) continue;
        seen.set(name, at + 1);
        return data;
      }
      if (Date.now() > deadline) throw new Error(`no ${name} came, but ${JSON.stringify(events.map(({ event }) => event))}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const nothing = async (name: OverlayEvent["event"]): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, moment));
    if (broken) throw broken;
    expect(events.slice(seen.get(name)).filter(({ event }) => event === name)).toEqual([]);
  };
  const page: Page = {
    player,
    events,
    comments: () => comments,
    headers: message.headers,
    next: find,
    nothing,
    ended,
    close: () => message.destroy(),
  };
  opened.add(page);
  return page;
}

/** `event` and `data`, one line each, as the contract describes them. */
function parsed(block: string): OverlayEvent {
  const [, event, data] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? [];
  const read = { event, data: JSON.parse(data ?? "null") };
  const faults = sealed("#/components/schemas/OverlayEvent", read);
  if (faults.length > 0) throw new Error(`an event that the contract does not know: ${block.slice(0, 500)}\n  ${faults.join("\n  ")}`);
  return read as OverlayEvent;
}
