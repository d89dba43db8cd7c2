// A request whose body does not go on, from somebody who stays.

import { setTimeout as sleep } from "node:timers/promises";

import { type Attack, chosen } from "../arena.ts";
import { besideNeighbour } from "../neighbour.ts";
import { closeAll, open, openMany, released, statusOf, tally } from "../sockets.ts";

const mostPerSender = 64;
const patienceMs = 10_000; // less than a body may take

const bytes = (path: string, key: string | null) =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}Content-Length: 100\r\n\r\n{"`;

export const heldBodies: readonly Attack[] = [
  {
    rule: "bodies that are kept open take no slot: others are served, and one credential keeps no more than 64",
    run: (arena, scale) =>
      besideNeighbour(arena, async () => {
        const lines = await openMany(chosen(scale, 600, 5_000), () => open(arena, bytes("/mcp", arena.keys.large)));
        const took = await released(arena, lines, patienceMs, mostPerSender);
        const answers = tally(lines.map(({ text }) => statusOf(text())));
        closeAll(lines);
        return `${lines.length} connections: ${answers}; no more than ${mostPerSender} after ${took}`;
      }),
  },
  {
    rule: "bodies without a credential that are kept open are bounded for an address, and others are served",
    run: (arena, scale) =>
      besideNeighbour(arena, async () => {
        const lines = await openMany(chosen(scale, 600, 5_000), () => open(arena, bytes("/oauth/token", null)));
        const took = await released(arena, lines, patienceMs, mostPerSender);
        closeAll(lines);
        return `${lines.length} connections; no more than ${mostPerSender} after ${took}`;
      }),
  },
  {
    rule: "a body that takes longer than half a minute is answered 408, and its connection closed",
    run: async (arena, scale) => {
      if (scale === "small") return "only in full: it takes half a minute";
      const lines = await openMany(10, () => open(arena, bytes("/api/v1/donations", arena.keys.neighbour)));
      await sleep(28_000);
      const took = await released(arena, lines, 10_000);
      const answers = tally(lines.map(({ text }) => statusOf(text())));
      closeAll(lines);
      if (answers !== `408 × ${lines.length}`) throw new Error(answers);
      return `${answers}, ${took} after the 28th second`;
    },
  },
];
