// A server with a database that a test can kill and bring back at the same address, and for `make faults` the variations of its streamers, and somebody
// who approves what some of them hold.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect } from "vitest";
import type { components } from "../../../generated/api.d.ts";
import { send } from "../../suite/client/http-client.ts";
import { change, decide, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { createDatabase, databaseUrl } from "../../suite/servers/database.ts";
import { freePort, type Server, startServer } from "../../suite/servers/start-server.ts";
import { pngOf, wavOf } from "../../suite/values/media.ts";
import type { Operator } from "../../suite/values/target.ts";
import type { PlaybackRow } from "./fault-rules.ts";
import { until } from "./overlay-tab.ts";
import type { LiveStreamer } from "./streamers.ts";

/** A server with its own embedded database. Both can be killed and come back at the same address. */
export type FaultyServer = {
  url: string;
  operator: Operator;
  /** Kills the server with SIGKILL and starts a new process. */
  killServer: () => Promise<void>;
  /** Kills PostgreSQL's main process with SIGKILL. Resolves when the server has started it again. */
  killDatabase: () => Promise<void>;
  playbacks: (handle: string) => Promise<PlaybackRow[]>;
  stop: () => Promise<void>;
};

export async function startFaultyServer({ env }: Operator, others: Record<string, string>): Promise<FaultyServer> {
  const [database, logs, port] = await Promise.all([createDatabase(undefined), mkdtemp(join(tmpdir(), "namjai-faults-")), freePort()]);
  const { DATABASE_URL: _, ...rest } = env;
  const own: Record<string, string> = { ...rest, ...database.env, PORT: String(port), LOG_LEVEL: "silent", ...others };
  const url = `http://127.0.0.1:${port}`;
  const output = { log: join(logs, "server.log"), quiet: true };
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  let server: Server = await startServer(url, own, output);
  return {
    url,
    operator: { env: own, handle: "" },
    killServer: async () => {
      await server.kill();
      server = await startServer(url, own, output);
    },
    killDatabase: async () => {
      const [pid] = (await readFile(join(own.DATA_DIR ?? "", "postgres", "postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGKILL");
      await sleep(500); // time for the server to notice
      await until(isReady, (ready) => ready);
    },
    playbacks: async (handle) => {
      const client = new pg.Client({ connectionString: await databaseUrl(own) });
      await client.connect();
      const { rows } = await client.query<PlaybackRow>(playbacksOf, [handle]).finally(() => client.end());
      return rows;
    },
    stop: async () => {
      await server.stop();
      await Promise.all([database.drop(), rm(logs, { recursive: true })]);
    },
  };
}

const playbacksOf = `select p.id, p.donation_id as "donationId", p.sequence::int, p.state, a.status as "alertStatus",
    (extract(epoch from p.ended_at) * 1000)::float8 as "endedAt"
  from playbacks p join alerts a using (streamer_id, donation_id) join streamer_handles s on s.streamer_id = p.streamer_id
  where s.handle = $1 order by p.sequence`;

type As = LiveStreamer["as"];
type AlertFile = components["schemas"]["AlertFile"];

/** Amounts that are for the three variations, and one that is for the default look. A streamer's donations take turns. */
export const amountsOfLooks = [10, 110, 210, 310] as const;

/** Sets short alerts of three variations: one with an image and a sound of the streamer's, one with a text of its own, one without speech. */
export async function setLooks(as: As): Promise<void> {
  const [image, sound] = [await upload(as, pngOf(64, 64)), await upload(as, wavOf(4_044))]; // half a second
  const variations = [
    { name: "Files", from: 0, to: 99, image, sound, confetti: true, seconds: 3, style: { theme: "neon", enter: "zoom", leave: "fade" } },
    { name: "Text", from: 100, to: 199, template: "{name} – {amount}: {message}", seconds: 2, style: { theme: "paper", position: "top" } },
    { name: "Silent", from: 200, to: 299, speak: false, style: { theme: "pixel", enter: "bounce", leave: "flip" } },
  ];
  expect((await change({ minimumSeconds: 2, maximumSeconds: 5, variations }, as)).status).toBe(200);
}

/** Holds every alert until somebody decides. */
export async function setApproval(as: As): Promise<void> {
  expect((await change({ approval: "all", approvalSeconds: 3_600 }, as)).status).toBe(200);
}

/** Approves held alerts in their order, every fourth with its amount only, until there are no more to come. */
export async function approve(as: As, isOver: () => boolean): Promise<void> {
  for (let decided = 0; !isOver(); await sleep(500)) {
    const held = await queue(as)
      .then((reply) => queueOf(reply).held)
      .catch(() => []);
    for (const { donationId } of held) {
      const decision = decided % 4 === 3 ? "mask" : "approve";
      const isDecided = await decide(donationId, decision, as)
        .then(({ status }) => status < 300)
        .catch(() => false);
      if (!isDecided) break; // those behind it would play before it
      decided += 1;
    }
  }
}

async function upload(as: As, body: Buffer): Promise<string> {
  const reply = await send({
    method: "POST",
    path: "/api/v1/alert-files?name=look",
    headers: { "Content-Type": "application/octet-stream" },
    body,
    ...as,
  });
  expect(reply.status, reply.text).toBe(201);
  return (reply.body as { data: AlertFile }).data.id;
}
