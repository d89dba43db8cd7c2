// `make bench`, the events part: what an idle stream of events costs, and how long a donation takes to its stream while 1,000 are open.
//   STREAMS=2000   idle, one for each streamer      ACTIVE=1000   of these while donations are recorded
//   RATE=1000      donations a second, if the machine can      EVENT_SECONDS=20

import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../suite/servers/start-server.ts";
import type { Cleanup } from "../program.ts";
import { count, ms, openStream, openStreams, percentile, settledMegabytes } from "./measure.ts";
import { donateTo, emptySetting, seedKeys } from "./setting.ts";

type EventsMeasured = {
  streams: number;
  /** Of the server process, in megabytes. */
  resident: { before: number; after: number };
  kilobytesPerStream: number;
  active: number;
  /** Donations a second: asked for, and recorded. */
  rate: { asked: number; recorded: number };
  donations: number;
  /** From the donation's 201 to its event, in milliseconds. */
  arrival: { p50: number; p99: number; most: number };
  cpus: number;
  /** Load average of one minute when it began and ended. */
  load: [number, number];
};

type EventsOptions = { streams: number; active: number; rate: number; seconds: number; databaseUrl: string | undefined };

/** Streams that are opened and closed first: what these bring about once is no part of what one more costs. */
const warm = 64;

export async function measureEvents(options: EventsOptions, cleanup: Cleanup): Promise<EventsMeasured> {
  const loadBefore = loadavg()[0] as number;
  const setting = await emptySetting(options.databaseUrl, cleanup);
  const keys = await seedKeys(setting, options.streams + warm, ["write:donations", "read:donations"]);
  const metricsPort = await freePort();
  const server = await setting.serve({ METRICS_PORT: String(metricsPort), TTS: "off", NOTIFIER: "process" });
  const resident = () => settledMegabytes(metricsPort);
  const arrived = new Map<string, number>();
  for (const { close } of await openAll(server.url, keys.slice(-warm), arrived)) close();
  const before = await resident();
  const streams = await openAll(server.url, keys.slice(0, options.streams), arrived);
  cleanup.later(() => {
    for (const { close } of streams) close();
  });
  const after = await resident();
  for (const { close } of streams.slice(options.active)) close();
  const { answered, seconds } = await donateTo(server.url, keys.slice(0, options.active), options);
  const timed = await arrivalsOf(answered, arrived);
  for (const { close } of streams) close();
  await server.stop();
  return {
    streams: options.streams,
    resident: { before, after },
    kilobytesPerStream: ((after - before) * 1_024) / options.streams,
    active: options.active,
    rate: { asked: options.rate, recorded: timed.length / seconds },
    donations: timed.length,
    arrival: { p50: percentile(timed, 0.5), p99: percentile(timed, 0.99), most: timed.reduce((a, b) => Math.max(a, b), 0) },
    cpus: cpus().length,
    load: [loadBefore, loadavg()[0] as number],
  };
}

/** Notes when the event of each donation arrives. */
const openAll = (url: string, keys: readonly string[], arrived: Map<string, number>) =>
  openStreams.map(keys, (key) =>
    openStream(`${url}/api/v1/events/stream?types=donation.created&keepalive=60`, key, (block, at) => {
      const [, id] = /\ndata: \{"id":"([^"]+)"/.exec(block) ?? []; // of a recorded donation the event has the id of the donation
      if (id) arrived.set(id, at);
    }),
  );

/** How long each donation took from its 201 to its event, in milliseconds. Throws when an event does not come. */
async function arrivalsOf(answered: ReadonlyMap<string, number>, arrived: ReadonlyMap<string, number>): Promise<number[]> {
  for (let waited = 0; waited < 100 && arrived.size < answered.size; waited += 1) await sleep(100);
  const missing = [...answered.keys()].filter((id) => !arrived.has(id)).length;
  if (missing > 0) throw new Error(`${missing} of ${answered.size} events did not come`);
  return [...answered].map(([id, at]) => Math.max(0, (arrived.get(id) as number) - at));
}

export function eventsText({
  streams,
  kilobytesPerStream,
  resident,
  active,
  rate,
  donations,
  arrival,
  load,
  cpus,
}: EventsMeasured): string[] {
  const [before, after] = [resident.before, resident.after].map((megabytes) => megabytes.toFixed(0));
  return [
    `${count(streams)} idle streams of events, one for each streamer, on one process:`,
    `${kilobytesPerStream.toFixed(0)} kB for each (resident memory ${before} MB without any, ${after} MB with all).`,
    `${count(donations)} donations to ${count(active)} streamers whose streams are open, ${count(Math.round(rate.recorded))} a second of ${count(rate.asked)} asked for:`,
    `from the 201 to the event ${ms(arrival.p50)} ms (p50), ${ms(arrival.p99)} ms (p99), ${ms(arrival.most)} ms at most.`,
    "",
    `Load average ${load.map((one) => one.toFixed(1)).join(" before and ")} after, ${cpus} cores, shared by server, database and bench.`,
  ];
}
