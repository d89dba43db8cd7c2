// Clients that request large answers and never read them.

import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { runBesideRegularClient } from "../regular-client.ts";
import { type Connection, closeAll, openConnection, openConnections, waitUntilReleased } from "../sockets.ts";

const get = (path: string, key: string | null) => `GET ${path} HTTP/1.1\r\nHost: h\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}\r\n`;

async function exportStatus({ url }: AttackedServer, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/donations/export?to=2000-01-01`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

const attempts = 5;

/**
 * Exports whose clients have stopped reading, after another export of the same streamer was refused. On a busy machine the server may have
 * refused them, as unavailable, or have cut them before the other export began: then new ones are opened.
 */
async function stallExports(server: AttackedServer, attempt = 1): Promise<Connection[]> {
  const connections = await openConnections(2, () =>
    openConnection(server, get("/api/v1/donations/export", server.keys.largeHistory), { stopsReading: true }),
  );
  await Promise.all(connections.map(({ answering, closed }) => Promise.race([answering, closed])));
  const own = await exportStatus(server, server.keys.largeHistory);
  if (own === 429) return connections;
  closeAll(connections);
  if (attempt < attempts) return stallExports(server, attempt + 1);
  throw new Error(`a second export of the same streamer was answered ${own}, ${attempts} times`);
}

export const stalledReaders: readonly Attack[] = [
  {
    rule: "an export that its client does not read is cut after ten seconds, and does not keep other streamers from exporting",
    run: (server) =>
      runBesideRegularClient(server, async () => {
        const connections = await stallExports(server);
        const others = await exportStatus(server, server.keys.regularClient);
        if (others !== 200) throw new Error(`another streamer's export was answered ${others}`);
        const took = await waitUntilReleased(server, connections);
        const again = await exportStatus(server, server.keys.largeHistory);
        closeAll(connections);
        if (again !== 200) throw new Error(`afterwards the streamer's export was answered ${again}`);
        return `${connections.length} connections, cut after ${took} more`;
      }),
  },
  {
    rule: "a file whose client does not read it is cut after ten seconds",
    run: (server, scale) =>
      runBesideRegularClient(server, async () => {
        const path = await largestFile(server);
        const connections = await openConnections(byScale(scale, 20, 1_000), () =>
          openConnection(server, get(path, null).repeat(4), { neverReads: true }),
        );
        // A thousand connections fill the operating system's socket memory. Each one that is cut frees memory for the others,
        // whose ten seconds then begin again.
        const took = await waitUntilReleased(server, connections);
        closeAll(connections);
        return `${connections.length} connections for ${path}, cut after ${took}`;
      }),
  },
];

/** The path of the API reference's largest script: three megabytes, more than a socket buffer holds when requested four times. */
async function largestFile({ url }: AttackedServer): Promise<string> {
  const page = await (await fetch(`${url}/docs/reference`)).text();
  const scripts = [...page.matchAll(/src="([^"]+\.js)"/g)].map(([, path = ""]) => new URL(path, `${url}/docs/reference`).pathname);
  const sizes = await Promise.all(scripts.map(async (path) => (await (await fetch(url + path)).arrayBuffer()).byteLength));
  const largest = Math.max(...sizes);
  if (largest < 1_000_000) throw new Error(`no large file at /docs/reference: ${scripts.join(" ")}`);
  return scripts[sizes.indexOf(largest)] as string;
}
