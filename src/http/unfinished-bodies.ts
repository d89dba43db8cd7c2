// Bodies that have not arrived in full. They are read before anything is done, and whoever sends them may never end.

import type { Context } from "koa";
import { network } from "./network.ts";
import type { Principal } from "./operations.ts";
import type { Admission } from "./overload.ts";
import { Problem } from "./problem.ts";

/** Waits for what reads a request's body. Throws request_timeout when the body had to make room for others. */
export type Receive = <T>(ctx: Context, principal: Principal | null, reading: Promise<T>) => Promise<T>;

export type ReceivingLimits = Readonly<{ inAll: number; perSender: number }>;

type Unfinished = Readonly<{ sender: string; giveUp: () => void }>;

/**
 * Bounds the unfinished bodies of each credential (of each address, where there is none) and of all. Beyond that the oldest is given
 * up: one that arrives at an ordinary pace is never the oldest for long, however many others are left unfinished on purpose.
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

/** The rest of the body may still come, so nothing else can be read from this connection. */
function tooSlow(): Problem {
  return new Problem("request_timeout", "The body was still incomplete when others needed its room.", { headers: { Connection: "close" } });
}
