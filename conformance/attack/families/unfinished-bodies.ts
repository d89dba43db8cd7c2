// A request whose body never ends, from somebody who has gone.

import { setTimeout as sleep } from "node:timers/promises";

import { type Attack, chosen } from "../arena.ts";
import { besideNeighbour } from "../neighbour.ts";
import { closeAll, open, openMany, released } from "../sockets.ts";

const head = (path: string, key: string | null) =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}Content-Length: 100\r\n\r\n`;

/** `path`, and whether the attacker has a credential. */
const targets: [string, boolean][] = [
  ["/mcp", true],
  ["/oauth/token", false],
  ["/api/v1/donations", true],
];

export const unfinishedBodies: readonly Attack[] = [
  ...targets.map(
    ([path, withKey]): Attack => ({
      rule: `bodies for ${path} that end after two bytes are closed within seconds, and others are served meanwhile`,
      run: (arena, scale) =>
        besideNeighbour(arena, async () => {
          const bytes = `${head(path, withKey ? arena.keys.attacker : null)}{"`;
          const lines = await openMany(chosen(scale, 520, 5_000), () => open(arena, bytes, { fin: true }));
          const took = await released(arena, lines, 10_000);
          closeAll(lines);
          return `${lines.length} connections, released after ${took}`;
        }),
    }),
  ),
  {
    rule: "uploads that are aborted by a reset leave no connection behind",
    run: (arena, scale) =>
      besideNeighbour(arena, async () => {
        const bytes = `${head("/api/v1/donations", arena.keys.neighbour)}{"`;
        const lines = await openMany(chosen(scale, 20, 200), () => open(arena, bytes));
        await sleep(100);
        for (const { socket } of lines) socket.resetAndDestroy();
        return `${lines.length} connections, released after ${await released(arena, lines, 10_000)}`;
      }),
  },
];
