// Wakes those who follow the logs of streamers. A hint of the notifier wakes at once; a hint can be lost, so the ends of the followed logs
// are read every second as well.

import pLimit from "p-limit";
import { type EventLog, type LogPage, type LogQuestion, nameOf } from "./log.ts";

/** One reader of a log that waits for what follows. */
export type Follower = {
  /** Resolves when something may have followed since `restart`, or when it is woken otherwise. */
  changed: () => Promise<void>;
  /** Call it before reading: what is committed from now on resolves the next `changed`. */
  restart: () => void;
  wake: () => void;
  /** Notes that it has read everything up to this end of the log. */
  hasRead: (end: number) => void;
};

export type Feeds = {
  /** Adds a follower; `leave` removes it. */
  follow: (streamerId: string) => Follower & { leave: () => void };
  /** Something happened to this streamer. */
  hint: (streamerId: string) => void;
  /** Looks for what hints did not tell. */
  poll: () => Promise<void>;
  /** Reads a page. Followers at the same position share one reading. */
  read: (question: LogQuestion) => Promise<LogPage>;
  /** The number of followers, of one streamer or of all. */
  count: (streamerId?: string) => number;
};

/** Readings that may be under way at once: a database that comes back, for instance, wakes everybody, and requests need connections, too. */
export const maxReadings = 32;

type Waiting = Follower & {
  /** Up to where it has read; null: it has not come to an end yet. */
  readTo: number | null;
};
type Feed = { followers: Set<Waiting>; readings: Map<string, Promise<LogPage>> };

export function openFeeds(log: EventLog): Feeds {
  const limit = pLimit(maxReadings);
  const read: EventLog["read"] = (question) => limit(log.read, question);
  const feeds = new Map<string, Feed>();
  const feedOf = (streamerId: string): Feed => {
    const feed = feeds.get(streamerId) ?? { followers: new Set(), readings: new Map() };
    feeds.set(streamerId, feed);
    return feed;
  };
  return {
    follow: (streamerId) => {
      const follower = makeFollower();
      const feed = feedOf(streamerId);
      feed.followers.add(follower);
      const leave = () => {
        feed.followers.delete(follower);
        if (feed.followers.size === 0 && feeds.get(streamerId) === feed) feeds.delete(streamerId);
      };
      return Object.assign(follower, { leave });
    },
    hint: (streamerId) => wakeAll(feeds.get(streamerId)),
    poll: async () => {
      if (feeds.size === 0) return;
      for (const { streamerId, end } of await log.ends([...feeds.keys()])) {
        for (const { readTo, wake } of feeds.get(streamerId)?.followers ?? []) if (readTo !== end) wake();
      }
    },
    read: (question) => {
      const feed = feeds.get(question.streamerId);
      return feed ? sharedReading(feed, read, question) : read(question);
    },
    count: (streamerId) => {
      if (streamerId !== undefined) return feeds.get(streamerId)?.followers.size ?? 0;
      return [...feeds.values()].reduce((sum, { followers }) => sum + followers.size, 0);
    },
  };
}

function wakeAll(feed: Feed | undefined): void {
  for (const { wake } of feed?.followers ?? []) wake();
}

/**
 * Calls of one turn of the event loop share a reading: all followers that one hint has woken. Later calls begin a new one, because a reading
 * that began before a hint may lack the event of the hint.
 */
function sharedReading({ readings }: Feed, read: EventLog["read"], question: LogQuestion): Promise<LogPage> {
  const key = nameOf(question);
  const known = readings.get(key);
  if (known) return known;
  const reading = read(question);
  readings.set(key, reading);
  setImmediate(() => readings.delete(key));
  return reading;
}

function makeFollower(): Waiting {
  let isAwake = false;
  let resolve: (() => void) | null = null;
  const wake = () => {
    isAwake = true;
    resolve?.();
    resolve = null;
  };
  const follower: Waiting = {
    readTo: null,
    hasRead: (end) => {
      follower.readTo = end;
    },
    wake,
    restart: () => {
      isAwake = false;
    },
    changed: () =>
      new Promise<void>((done) => {
        if (isAwake) done();
        else resolve = done;
      }),
  };
  return follower;
}
