// Limits the bodies that have not arrived completely: a client may never finish sending one.

import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import { network } from "../addresses.ts";
import type { Principal } from "../operations.ts";
import { Problem } from "../problem.ts";
import type { Admission } from "./overload.ts";
import { exemptFromRequestTimeout } from "./server-limits.ts";

/** Reads the body of a request and waits for it. Throws request_timeout when it is refused in favour of others, and unavailable. */
export type Receive = <T>(ctx: Context, principal: Principal | null, read: () => Promise<T>) => Promise<T>;

/**
 * `kept`: bytes of large bodies that are kept until their requests are answered, of all together, and what one has at most. A body without a
 * declared length counts as one of that size. `timeoutMs`: how long a body may take to arrive, instead of `timeouts.request`; `silenceMs`: how
 * long nothing of it may arrive meanwhile.
 */
type ReceivingLimits = Readonly<{
  inAll: number;
  perSender: number;
  kept?: Readonly<{ inAll: number; perBody: number }>;
  timeoutMs?: number;
  silenceMs?: number;
}>;

type Unfinished = Readonly<{ sender: string; bytes: number; giveUp: () => void }>;

/**
 * Limits the unfinished bodies of each streamer (or address, without a credential) and of all together. Beyond the limit the oldest one is
 * refused: a body that arrives at an ordinary pace is not the oldest for long, however many others are left unfinished on purpose.
 */
export function openReceiving(
  { inAll, perSender, kept, timeoutMs, silenceMs }: ReceivingLimits,
  whileWaiting: Admission["whileWaiting"],
): Receive {
  const unfinished = new Set<Unfinished>(); // oldest first
  const counts = new Map<string, number>();
  let keptBytes = 0;

  const forget = (one: Unfinished) => {
    if (!unfinished.delete(one)) return;
    const left = (counts.get(one.sender) ?? 1) - 1;
    if (left > 0) counts.set(one.sender, left);
    else counts.delete(one.sender);
  };

  const giveUpOldest = (of: (one: Unfinished) => boolean = () => true): Unfinished | undefined => {
    const oldest = unfinished.values().find(of);
    if (!oldest) return undefined;
    forget(oldest);
    oldest.giveUp();
    return oldest;
  };

  /** Throws unavailable when bodies that have arrived take all the room. */
  const makeRoom = (sender: string, bytes: number) => {
    const isFull = (counts.get(sender) ?? 0) >= perSender;
    const first = isFull || unfinished.size >= inAll ? giveUpOldest((one) => !isFull || one.sender === sender) : undefined;
    if (!kept) return;
    // What is given up is counted until its answer is sent.
    for (let room = kept.inAll - keptBytes + (first?.bytes ?? 0); room < bytes; ) {
      const oldest = giveUpOldest();
      if (!oldest) throw busy();
      room += oldest.bytes;
    }
  };

  const keep = ({ res }: Context, bytes: number) => {
    keptBytes += bytes;
    res.once("close", () => {
      keptBytes -= bytes;
    });
  };

  const bounded = <T>(ctx: Context, sender: string, read: () => Promise<T>): Promise<T> => {
    const bytes = kept ? sizeOf(ctx, kept.perBody) : 0;
    makeRoom(sender, bytes);
    if (kept) keep(ctx, bytes);
    counts.set(sender, (counts.get(sender) ?? 0) + 1);
    return new Promise((resolve, reject) => {
      const one = { sender, bytes, giveUp: () => reject(tooSlow("The body was still incomplete when others needed its room.")) };
      unfinished.add(one);
      const clear = timeoutMs === undefined ? () => {} : setOwnDeadline(ctx, { timeoutMs, silenceMs }, reject);
      read()
        .then(resolve, reject)
        .then(() => {
          forget(one);
          clear();
        });
    });
  };

  return async (ctx, principal, read) => {
    if (ctx.req.complete) return read();
    return whileWaiting(ctx.req, bounded(ctx, senderOf(ctx, principal), read));
  };
}

/** A body that says to be larger than any is refused without being read. */
function sizeOf({ req }: Context, perBody: number): number {
  const declared = Number(req.headers["content-length"] ?? perBody);
  return declared > perBody ? 0 : declared;
}

/** All credentials of a streamer are one sender: a client may have any number of access tokens. */
function senderOf(ctx: Context, principal: Principal | null): string {
  return principal?.streamerId || network(ctx.ip);
}

type OwnDeadline = Readonly<{ timeoutMs: number; silenceMs: number | undefined }>;

/** Returns a function that ends it. */
function setOwnDeadline({ req }: Context, { timeoutMs, silenceMs }: OwnDeadline, reject: (reason: Problem) => void): () => void {
  exemptFromRequestTimeout(req);
  const late = () => reject(tooSlow(`The body did not arrive completely within ${timeoutMs / 1000} seconds.`));
  const deadline = setTimeout(late, timeoutMs);
  const silent = () => reject(tooSlow(`Nothing of the body arrived for ${(silenceMs ?? 0) / 1000} seconds.`));
  const silence = silenceMs === undefined ? undefined : watchSilence(req, silenceMs, silent);
  return () => {
    clearTimeout(deadline);
    clearInterval(silence);
  };
}

/** So many looks in a row see no new byte. The time alone does not tell: what a busy process has not read yet has arrived. */
const silentLooks = 10;

function watchSilence({ socket }: IncomingMessage, ms: number, onSilent: () => void): NodeJS.Timeout {
  let [seen, looks] = [socket.bytesRead, 0];
  return setInterval(() => {
    looks = socket.bytesRead === seen ? looks + 1 : 0;
    seen = socket.bytesRead;
    if (looks >= silentLooks) onSilent();
  }, ms / silentLooks);
}

/** The connection is closed, because the rest of the body may still arrive on it. */
function tooSlow(detail: string): Problem {
  return new Problem("request_timeout", detail, { headers: { Connection: "close" } });
}

function busy(): Problem {
  return new Problem("unavailable", "Files that others have sent take all the room until they are stored.", {
    headers: { Connection: "close", "Retry-After": "1" },
  });
}
