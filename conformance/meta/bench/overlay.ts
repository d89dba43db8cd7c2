// `make bench`, the overlay part: what an idle overlay connection costs, and how long a donation takes to its stream while 2,000 are open.
//   CONNECTIONS=2000   one for each streamer, each by a page that can play      DONATIONS=300   one after the other

import { hash } from "node:crypto";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { addKey } from "../../suite/client/operator.ts";
import { freePort } from "../../suite/servers/start-server.ts";
import type { Cleanup } from "../program.ts";
import { count, ms, openStream, openStreams, percentile, send, settledMegabytes, table } from "./measure.ts";
import { messages } from "./seed.ts";
import { type EmptySetting, emptySetting, insertStreamers, newOverlayKey } from "./setting.ts";

type OverlayMeasured = {
  connections: number;
  connectSeconds: number;
  /** Of the server process, in megabytes. */
  resident: { before: number; after: number };
  kilobytesPerConnection: number;
  donations: number;
  /** From the donation's 201 to its playback event, in milliseconds. */
  arrival: { p50: number; p99: number; most: number };
  /** From sending the donation. */
  whole: { p50: number; p99: number };
  cpus: number;
  /** Load average of one minute when it began and ended. */
  load: [number, number];
};

type OverlayOptions = { connections: number; donations: number; databaseUrl: string | undefined };

type Streamer = { handle: string; overlayKey: string };

/** Streamers that receive donations: the overlays of the others stay idle. */
const given = 10;

export async function measureOverlay(options: OverlayOptions, cleanup: Cleanup): Promise<OverlayMeasured> {
  const loadBefore = loadavg()[0] as number;
  const setting = await emptySetting(options.databaseUrl, cleanup);
  const streamers = await seedStreamers(setting, options.connections + given);
  const apiKeys = await keysOf(setting, streamers.slice(0, given));
  const metricsPort = await freePort();
  const server = await setting.serve({ METRICS_PORT: String(metricsPort), TTS: "off", NOTIFIER: "process" });
  const resident = () => settledMegabytes(metricsPort);

  // What the first connections and donations bring about once is no part of what one more costs.
  const warm = await Promise.all(streamers.slice(-given).map(({ overlayKey }) => followAlerts(server.url, overlayKey)));
  for (const stream of warm) stream.close();
  const before = await resident();
  const began = performance.now();
  const streams = await openStreams.map(streamers.slice(0, options.connections), ({ overlayKey }) => followAlerts(server.url, overlayKey));
  const closeAll = () => {
    for (const { close } of streams) close();
  };
  cleanup.later(closeAll);
  const connectSeconds = (performance.now() - began) / 1_000;
  const after = await resident();
  const timed = await donateTo(server.url, streams.slice(0, given), apiKeys, options.donations);
  closeAll();
  await server.stop();
  const arrivals = timed.map(({ arrivedMs }) => arrivedMs);
  const whole = timed.map(({ wholeMs }) => wholeMs);
  return {
    connections: options.connections,
    connectSeconds,
    resident: { before, after },
    kilobytesPerConnection: ((after - before) * 1_024) / options.connections,
    donations: options.donations,
    arrival: { p50: percentile(arrivals, 0.5), p99: percentile(arrivals, 0.99), most: Math.max(...arrivals) },
    whole: { p50: percentile(whole, 0.5), p99: percentile(whole, 0.99) },
    cpus: cpus().length,
    load: [loadBefore, loadavg()[0] as number],
  };
}

/** By SQL: the command line would take a second for each. */
async function seedStreamers({ client }: EmptySetting, count: number): Promise<Streamer[]> {
  const made = Array.from({ length: count }, (_, index) => ({ id: uuidv7(), handle: `overlay-${index}`, ...newOverlayKey() }));
  await insertStreamers(client, made);
  await client.query(
    `insert into overlay_keys (id, streamer_id, public_id, secret_hash, name)
     select *, 'bench' from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[])`,
    [
      made.map(() => uuidv7()),
      made.map(({ id }) => id),
      made.map(({ publicId }) => publicId),
      made.map(({ key }) => hash("sha256", key, "buffer")),
    ],
  );
  return made.map(({ handle, key }) => ({ handle, overlayKey: key }));
}

async function keysOf({ operator }: EmptySetting, streamers: readonly Streamer[]): Promise<string[]> {
  const keys: string[] = [];
  for (const { handle } of streamers) keys.push(await addKey(operator, handle, "write:donations"));
  return keys;
}

type Playback = { id: string; donationId: string };

type Stream = {
  key: string;
  player: string;
  /** When this donation's playback event came. */
  played: (donationId: string) => Promise<{ playback: Playback; at: number }>;
  close: () => void;
};

/** Follows the stream as a page that can play; resolves when its snapshot is there. */
async function followAlerts(url: string, key: string): Promise<Stream> {
  const player = uuidv7();
  const arrived = new Map<string, { playback: Playback; at: number }>();
  let look = () => {};
  const { close } = await openStream(`${url}/api/v1/overlay/stream?player=${player}&plays=true`, key, (block, at) => {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
    if (event !== "playback") return;
    const playback = JSON.parse(data as string) as Playback;
    arrived.set(playback.donationId, { playback, at });
    look();
  });
  const played: Stream["played"] = async (donationId) => {
    for (;;) {
      const found = arrived.get(donationId);
      if (found) return found;
      await new Promise<void>((resume) => {
        look = resume;
      });
    }
  };
  return { key, player, played, close };
}

type Timed = { arrivedMs: number; wholeMs: number };

/** One donation after the other, each to the next streamer, and each shown to its end. */
async function donateTo(url: string, streams: readonly Stream[], apiKeys: readonly string[], count: number): Promise<Timed[]> {
  const words = messages(100);
  const timed: Timed[] = [];
  for (let number = -streams.length; number < count; number += 1) {
    const at = (number + streams.length) % streams.length;
    const stream = streams[at] as Stream;
    const donation = { donatorName: "สมชาย", amount: 100, message: words[at] };
    const sentAt = performance.now();
    const answer = await send(`${url}/api/v1/donations`, apiKeys[at] as string, JSON.stringify(donation));
    const answeredAt = performance.now();
    if (answer.status !== 201) throw new Error(`a donation was answered ${answer.status}: ${answer.body}`);
    const { id } = JSON.parse(answer.body.toString("utf8")).data as { id: string };
    const { playback, at: arrivedAt } = await stream.played(id);
    if (number >= 0) timed.push({ arrivedMs: Math.max(0, arrivedAt - answeredAt), wholeMs: arrivedAt - sentAt }); // before: warms up
    for (const step of ["started", "ended"]) {
      const path = `${url}/api/v1/overlay/playbacks/${playback.id}/${step}`;
      const { status, body } = await send(path, stream.key, JSON.stringify({ player: stream.player }));
      if (status !== 200) throw new Error(`an acknowledgement was answered ${status}: ${body}`);
    }
    await sleep(Math.random() * 50); // not in step with what the server does in rounds
  }
  return timed;
}

export function overlayText(measured: OverlayMeasured): string[] {
  const { connections, connectSeconds, resident, kilobytesPerConnection, donations, arrival, whole, load } = measured;
  const [before, after] = [resident.before, resident.after].map((megabytes) => megabytes.toFixed(0));
  const lines = [
    ["what", "p50 ms", "p99 ms"],
    ["from its 201 to its playback event", ms(arrival.p50), ms(arrival.p99)],
    ["from sending it to its playback event", ms(whole.p50), ms(whole.p99)],
  ];
  return [
    `${count(connections)} overlay connections, one for each streamer, all of them players, opened in ${connectSeconds.toFixed(0)} s on one process:`,
    `${kilobytesPerConnection.toFixed(0)} kB for each (resident memory ${before} MB without any, ${after} MB with all).`,
    `${count(donations)} donations, one after the other, without speech; the longest took ${ms(arrival.most)} ms after its 201:`,
    "",
    table(lines),
    "",
    `Load average ${load.map((one) => one.toFixed(1)).join(" before and ")} after, ${measured.cpus} cores, shared by server, database and bench.`,
  ];
}
