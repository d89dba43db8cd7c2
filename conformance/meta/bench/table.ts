// Formats the results as text for the terminal.

import type { EventsMeasured } from "./events.ts";
import type { Plans } from "./explain.ts";
import type { Exported } from "./export.ts";
import type { Painted } from "./first-paint.ts";
import { percentile } from "./http.ts";
import type { Line } from "./measure.ts";
import type { OverlayMeasured } from "./overlay.ts";
import { count, type Side, sides } from "./setting.ts";
import { maxPageMs, type PageMeasured } from "./studio.ts";
import type { UpkeepRound } from "./upkeep.ts";
import type { Delay, WebhooksMeasured } from "./webhooks.ts";

const maxMs = 50;
const maxRatio = 1.5;
const maxUpkeep = 0.25;

export function linesTable(lines: readonly Line[], rows: Record<Side, number>): string {
  const head = ["operation", "range", ...sides.flatMap((side) => [`p50 at ${count(rows[side])}`, "p99", "rows"]), "ratio"];
  const cells = lines.map((line) => [
    line.operation,
    line.range,
    ...sides.flatMap((side) => [ms(line[side].p50), ms(line[side].p99), String(line[side].rows)]),
    line.ratio.toFixed(2),
  ]);
  return table([head, ...cells]);
}

/** The table of the studio's pages, and those that are too slow. */
export function studioText(measured: readonly PageMeasured[], rows: Record<Side, number>): string[] {
  const head = ["page", ...sides.flatMap((side) => [`p50 at ${count(rows[side])}`, "p99"]), "bytes"];
  const cells = measured.map((one) => [one.page, ...sides.flatMap((side) => [ms(one[side].p50), ms(one[side].p99)]), count(one.bytes)]);
  const slow = measured.filter(({ larger }) => larger.p50 > maxPageMs).map(({ page }) => page);
  const verdict = slow.length > 0 ? `Above ${maxPageMs} ms: ${slow.join("; ")}` : `Every page takes at most ${maxPageMs} ms at the median.`;
  return [table([head, ...cells]), "", verdict];
}

/** The table of first contentful paints. */
export function paintText(painted: readonly Painted[]): string {
  return table([["page", "screen", "p50", "worst"], ...painted.map(({ page, screen, p50, worst }) => [page, screen, ms(p50), ms(worst)])]);
}

/** Describes every aim that a line misses. */
export function missedAims(lines: readonly Line[]): string[] {
  return lines.flatMap(({ operation, range, noAimReason, smaller, larger, ratio }) => {
    const name = `${operation}, ${range}`;
    const why = noAimReason ? ` (no aim: ${noAimReason})` : "";
    const slow = larger.p50 > maxMs ? [`${name}: a p50 of ${ms(larger.p50)} ms is above ${maxMs} ms${why}`] : [];
    const grows =
      ratio > maxRatio
        ? [
            `${name}: ${ratio.toFixed(2)} times slower on the longer history (${ms(smaller.p50)} → ${ms(larger.p50)} ms), above ${maxRatio}${why}`,
          ]
        : [];
    return [...slow, ...grows];
  });
}

export function plansText(plans: readonly Plans[]): string[] {
  const most = plans.reduce((a, b) => (b.donationsRead > a.donationsRead ? b : a));
  const scanned = plans.filter(({ scans }) => scans.length > 0);
  return [
    `${plans.length} questions (of both histories), ${plans.reduce((sum, { statements }) => sum + statements, 0)} statements. ` +
      `Most donations read for one answer: ${count(most.donationsRead)} (${most.operation}, ${most.range}, ${most.side} history).`,
    scanned.length === 0
      ? "No statement reads a table of the history from end to end."
      : `Read from end to end: ${scanned.map(({ operation, range, scans }) => `${[...new Set(scans)].join(", ")} for ${operation}, ${range}`).join("; ")}.`,
  ];
}

export function upkeepText(rounds: readonly UpkeepRound[]): string[] {
  const median = (workers: string, of: (round: UpkeepRound) => number) =>
    percentile(rounds.filter((round) => round.workers === workers).map(of), 0.5);
  const on = median("on", ({ perSecond }) => perSecond);
  const off = median("off", ({ perSecond }) => perSecond);
  const loss = 1 - on / off;
  const cells = rounds.map((round) => [
    round.workers,
    count(Math.round(round.perSecond)),
    ms(round.p50),
    ms(round.p99),
    percent(round.rolledUp),
    percent(round.indexed),
  ]);
  return [
    table([["workers", "created/s", "p50 ms", "p99 ms", "rolled up meanwhile", "indexed meanwhile"], ...cells]),
    `Medians: ${count(Math.round(on))}/s with the workers, ${count(Math.round(off))}/s without: ${percent(loss)} less` +
      `${loss > maxUpkeep ? `; the aim of at most ${percent(maxUpkeep)} is missed` : ""}.`,
  ];
}

export function exportText({ donations, megabytes, firstByteMs, seconds, grownMegabytes }: Exported): string {
  const grown =
    grownMegabytes === null
      ? "the server's memory cannot be measured on this machine"
      : `the server grew by ${grownMegabytes.toFixed(0)} MB`;
  const missed = [
    ...(firstByteMs > 1_000 ? ["the first byte within a second"] : []),
    ...((grownMegabytes ?? 0) > 100 ? ["growth of at most 100 MB"] : []),
  ];
  return (
    `${count(donations)} donations: first byte after ${firstByteMs.toFixed(0)} ms, ${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s, ${grown}` +
    `${missed.length > 0 ? `. Aims missed: ${missed.join(", ")}` : ""}.`
  );
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

export function webhooksText({ streamers, endpoints, full, cpuMicroseconds, alone, beside, cpus, load }: WebhooksMeasured): string[] {
  const line = (title: string, { p50, p99, most }: Delay): string[] => [title, ms(p50), ms(p99), ms(most)];
  return [
    `${count(streamers)} streamers with ${endpoints} endpoints each, one process: ${count(full.deliveries)} deliveries of ${count(full.donations)} donations,`,
    `${count(Math.round(full.deliveredPerSecond))} a second beside ${count(Math.round(full.recordedPerSecond))} donations a second,`,
    `with ${cpuMicroseconds === null ? "?" : cpuMicroseconds.toFixed(0)} µs of the server's processor time for each, recording included. Milliseconds from the 201 to the delivery:`,
    "",
    table([
      ["", "p50", "p99", "most"],
      line("at that rate", full.delay),
      line(`at ${count(Math.round(alone.recordedPerSecond))} donations a second, healthy endpoints alone`, alone.delay),
      line("the same beside one that hangs and one that answers 500", beside.delay),
    ]),
    "",
    `Load average ${load.map((one) => one.toFixed(1)).join(" before and ")} after, ${cpus} cores, shared by server, database and bench.`,
  ];
}

/** Numbers to the right, the first row above a line. */
export function table(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (/^[\d.,%-]+$/.test(cell) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join("  ")
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return lines.join("\n");
}

export function ms(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)}%`;
}
