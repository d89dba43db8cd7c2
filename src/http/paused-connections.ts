// Connections that were refused rest: they are not read from before the time is over that their refusal told them to wait. Whoever asks
// again earlier waits in the kernel, where waiting costs nothing, until that time, or until there is room.

import type { Socket } from "node:net";

export type Resting = {
  /** Whole seconds, for `Retry-After`, that a connection must rest which is refused now. */
  seconds: () => number;
  add: (socket: Socket) => void;
  /** So many rest that the next one had better be closed. */
  full: () => boolean;
  /** There is room: reads from so many again, first from those that have rested longest. */
  wake: (count: number) => void;
  /** How many there are. */
  count: () => number;
};

export type RestOptions = {
  /** Connections that may come back in a second: that many refusals a second, if all of them ask again at once and none finds room. */
  perSecond: number;
  /** However many rest. */
  mostSeconds: number;
  /** Connections that rest at once: one that its client has left is not noticed before its time. */
  most: number;
};

type Rest = Readonly<{ socket: Socket; until: number }>;

export function openResting({ perSecond, mostSeconds, most }: RestOptions): Resting {
  let rests: Rest[] = [];
  let first = 0; // before it they are over: to shift one at a time would move all the others
  let timer: NodeJS.Timeout | null = null;

  const count = () => rests.length - first;
  const seconds = () => Math.min(mostSeconds, Math.ceil((count() + 1) / perSecond));

  const wake = (many: number) => {
    const last = Math.min(first + many, rests.length);
    for (; first < last; first += 1) rests[first]?.socket.resume();
    if (first < rests.length / 2) return;
    rests = rests.slice(first);
    first = 0;
  };

  const wakeDue = () => {
    timer = null;
    const now = performance.now();
    const next = rests.findIndex(({ until }, index) => index >= first && until > now);
    wake((next < 0 ? rests.length : next) - first);
    setTimer();
  };

  const setTimer = () => {
    const next = rests[first];
    if (next && !timer) timer = setTimeout(wakeDue, Math.max(next.until - performance.now(), 1)).unref();
  };

  const add = (socket: Socket) => {
    rests.push({ socket, until: performance.now() + seconds() * 1_000 });
    socket.pause();
    setTimer();
  };

  return { seconds, add, full: () => count() >= most, wake, count };
}
