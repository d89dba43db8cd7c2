// All overlay connections of this process: a channel for each streamer, and what is done for all of them at once.

import type { Readable } from "node:stream";
import { gated } from "../async/concurrency.ts";
import { startRounds } from "../async/interval-task.ts";
import { Problem } from "../http/problem.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { type Channel, type ChannelParts, makeChannel } from "./channel.ts";
import type { Visitor } from "./connection.ts";
import type { Notifier } from "./dependencies.ts";
import { expireAlerts, settleAbandoned } from "./store/abandoned.ts";
import { readMarks, releaseLeases, renewLeases } from "./store/presence.ts";

export type HubParts = ChannelParts & {
  notifier: Notifier;
  /** Which of these overlay keys are revoked. */
  revokedAmong: (keyIds: readonly string[]) => Promise<string[]>;
};

export type Hub = {
  /** Answers the stream, which begins with a snapshot. Throws token_revoked, rate_limited and unavailable. */
  open: (visitor: Visitor) => Promise<Readable>;
  /** This process has changed something for the streamer. */
  changed: (streamerId: string) => void;
  /** Ends the connections of revoked keys. */
  dropRevoked: () => Promise<void>;
  /** How many connections there are. */
  connected: () => number;
  /** Ends all connections and takes no more. */
  leave: () => void;
  /** Resolves when nothing is under way any more. */
  close: () => Promise<void>;
};

/** Connections that are opened at once, and readings of widgets: each takes a few statements. */
const opensAtOnce = 8;
const readingsAtOnce = 4;

/** Connections of one streamer to one process. A browser has one; a key that strangers saw on stream must not fill the memory. */
export const mostConnections = 100;

export function openHub(given: HubParts): Hub {
  const parts = { ...given, readWidgets: gated(readingsAtOnce, given.readWidgets) };
  const { knex, log, times, notifier, revokedAmong, speech } = parts;
  const channels = new Map<string, Channel>();
  let leaving: Promise<void> | null = null;

  const channelOf = (streamerId: string): Channel => {
    const channel = channels.get(streamerId) ?? makeChannel(parts, streamerId, () => channels.delete(streamerId));
    channels.set(streamerId, channel);
    return channel;
  };
  const connections = () => [...channels.values()].flatMap((channel) => [...channel.connections()]);
  const players = () => [...channels.values()].flatMap((channel) => channel.players());

  /** Whoever tells the others has woken its own channel already. */
  let telling: string | null = null;
  notifier.subscribe((streamerId) => {
    if (streamerId !== telling) channels.get(streamerId)?.hint();
  });
  const stepParts = { knex, times, speaks: speech !== null };
  let sweptTo: string | null = null;
  const rounds = [
    startRounds({ restMs: times.poll, log, complaint: "can't look for changes of alert queues" }, async () => {
      if (channels.size === 0) return;
      for (const mark of await readMarks(knex, [...channels.keys()])) channels.get(mark.streamerId)?.compare(mark);
    }),
    startRounds({ restMs: times.renew, log, complaint: "can't renew the leases of players" }, async () => {
      const held = players();
      if (held.length > 0) await renewLeases(knex, held, times);
    }),
    startRounds({ restMs: times.heartbeat, log, complaint: "can't send heartbeats" }, async () => {
      for (const { beat } of connections()) beat();
    }),
    startRounds({ restMs: times.sweep, log, complaint: "can't tidy alert queues up" }, async () => {
      for (const streamerId of await settleAbandoned(stepParts)) notifier.notify(streamerId);
      const { next, full } = await expireAlerts(stepParts, sweptTo);
      sweptTo = next;
      return full;
    }),
  ];

  const leave = async () => {
    const all = connections();
    const stopped = Promise.all([...channels.values()].map((channel) => channel.stop()));
    for (const connection of all) connection.end();
    const held = (await stopped).flat();
    await releaseLeases(knex, held);
    for (const { streamerId } of held) notifier.notify(streamerId);
  };

  return {
    open: gated(opensAtOnce, async (visitor) => {
      if (leaving) throw new Problem("unavailable", "The server is stopping.");
      const channel = channelOf(visitor.streamerId);
      if ([...channel.connections()].length >= mostConnections) throw tooMany();
      const opening = channel.open(visitor);
      try {
        // Only now: a key that is revoked from now on takes the connection with it.
        const [{ stream }, revoked] = await Promise.all([opening, revokedAmong([visitor.keyId])]);
        if (revoked.length > 0) throw replaced();
        return stream;
      } catch (error) {
        await opening.then(
          ({ cut }) => cut(),
          () => {},
        );
        throw error;
      }
    }),
    changed: (streamerId) => {
      channels.get(streamerId)?.wake();
      telling = streamerId;
      notifier.notify(streamerId);
      telling = null;
    },
    dropRevoked: async () => {
      const keyIds = [...new Set(connections().map(({ keyId }) => keyId))];
      if (keyIds.length === 0) return;
      const revoked = new Set(await revokedAmong(keyIds));
      for (const connection of connections()) if (revoked.has(connection.keyId)) connection.cut();
    },
    connected: () => connections().length,
    leave: () => {
      leaving ??= leave().catch((error) => log.warn({ error: describeFailure(error) }, "can't let go of the players' leases"));
    },
    close: async () => {
      await Promise.all(rounds.map(({ stop }) => stop()));
      await leaving;
    },
  };
}

function tooMany(): Problem {
  const detail = `This streamer's overlays have ${mostConnections} connections already.`;
  return new Problem("rate_limited", detail, { headers: { "Retry-After": "15" } });
}

function replaced(): Problem {
  const detail = "This overlay key was replaced.";
  const challenge = `Bearer error="invalid_token", error_description="${detail}"`;
  return new Problem("token_revoked", detail, { headers: { "WWW-Authenticate": challenge } });
}
