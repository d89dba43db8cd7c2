// Limits the bodies that have not arrived completely: a client may never finish sending one.

import type { Context } from "koa";
import { network } from "./network.ts";
import type { Principal } from "./operations.ts";
import type { Admission } from "./overload.ts";
import { Problem } from "./problem.ts";

/** Waits for the body of a request. Throws request_timeout when it is refused in favour of others. */
export type Receive = <T>(ctx: Context, principal: Principal | null, reading: Promise<T>) => Promise<T>;

export type ReceivingLimits = Readonly<{ inAll: number; perSender: number }>;

type Unfinished = Readonly<{ sender: string; giveUp: () => void }>;

/**
 * Limits the unfinished bodies of each credential (or address, without one) and of all together. Beyond the limit the oldest one is refused: a
 * body that arrives at an ordinary pace is not the oldest for long, however many others are left unfinished on purpose.
 */
export function openReceiving({ inAll, perSender }: ReceivingLimits, whileWaiting: Admission["whileWaiting"]): Receive {
  const unfinished = new Set<Unfinished>(); // oldest first
  const counts = new Map<string, number>();

  const forget = (one: Unfinished) => {
    if (!unfinished.delete(one)) return;
    const left = (counts.get(one.sender) ?? 1) - 1;
    if (left > 0) counts.set(one.sender, left);
    else counts.delete(one.sender);
  };

  const makeRoom = (sender: string) => {
    const full = (counts.get(sender) ?? 0) >= perSender;
    if (!full && unfinished.size < inAll) return;
    const oldest = unfinished.values().find((one) => !full || one.sender === sender);
    if (!oldest) return;
    forget(oldest);
    oldest.giveUp();
  };

  const bounded = <T>(sender: string, reading: Promise<T>): Promise<T> => {
    makeRoom(sender);
    counts.set(sender, (counts.get(sender) ?? 0) + 1);
    return new Promise((resolve, reject) => {
      const one = { sender, giveUp: () => reject(tooSlow()) };
      unfinished.add(one);
      reading.then(resolve, reject).then(() => forget(one));
    });
  };

  return (ctx, principal, reading) => {
    if (ctx.req.complete) return reading;
    return whileWaiting(ctx.req, bounded(senderOf(ctx, principal), reading));
  };
}

function senderOf(ctx: Context, principal: Principal | null): string {
  return principal?.credential.id || network(ctx.ip);
}

/** The connection is closed, because the rest of the body may still arrive on it. */
function tooSlow(): Problem {
  return new Problem("request_timeout", "The body was still incomplete when others needed its room.", { headers: { Connection: "close" } });
}
