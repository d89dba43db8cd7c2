// Readers that ask for much and take nothing.

import { setTimeout as sleep } from "node:timers/promises";

import { type Arena, type Attack, chosen } from "../arena.ts";
import { besideNeighbour } from "../neighbour.ts";
import { closeAll, open, openMany, released } from "../sockets.ts";

const patienceMs = 60_000;

const get = (path: string, key: string | null) => `GET ${path} HTTP/1.1\r\nHost: h\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}\r\n`;

async function exportStatus({ url }: Arena, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/donations/export?to=2000-01-01`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

export const stalledReaders: readonly Attack[] = [
  {
    rule: "exports that nobody reads keep nobody else from exporting, and are cut after ten seconds",
    run: (arena) =>
      besideNeighbour(arena, async () => {
        const lines = await openMany(2, () => open(arena, get("/api/v1/donations/export", arena.keys.large), { stalled: true }));
        await sleep(2_000);
        const own = await exportStatus(arena, arena.keys.large);
        if (own !== 429) throw new Error(`a second export of the same streamer was answered ${own}`);
        const others = await exportStatus(arena, arena.keys.neighbour);
        if (others !== 200) throw new Error(`another streamer's export was answered ${others}`);
        const took = await released(arena, lines, patienceMs);
        const again = await exportStatus(arena, arena.keys.large);
        closeAll(lines);
        if (again !== 200) throw new Error(`afterwards the streamer's export was answered ${again}`);
        return `${lines.length} connections, cut after ${took} more`;
      }),
  },
  {
    rule: "pages that nobody reads are cut after ten seconds",
    run: (arena, scale) =>
      besideNeighbour(arena, async () => {
        const path = await largestFile(arena);
        const lines = await openMany(chosen(scale, 20, 1_000), () => open(arena, get(path, null).repeat(4), { stalled: true }));
        // A thousand fill the system's memory for sockets: what is cut makes room for the others, who then wait anew.
        const took = await released(arena, lines, patienceMs);
        closeAll(lines);
        return `${lines.length} connections for ${path}, cut after ${took}`;
      }),
  },
];

/** A script of the reference: three megabytes, which no socket buffer holds four times. */
async function largestFile({ url }: Arena): Promise<string> {
  const page = await (await fetch(`${url}/docs/reference`)).text();
  const scripts = [...page.matchAll(/src="([^"]+\.js)"/g)].map(([, path = ""]) => new URL(path, `${url}/docs/reference`).pathname);
  const sizes = await Promise.all(scripts.map(async (path) => (await (await fetch(url + path)).arrayBuffer()).byteLength));
  const largest = Math.max(...sizes);
  if (largest < 1_000_000) throw new Error(`no large file at /docs/reference: ${scripts.join(" ")}`);
  return scripts[sizes.indexOf(largest)] as string;
}
