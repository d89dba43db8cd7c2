// The export of up to a million donations: when it begins, how long it takes, what the server's memory grows by meanwhile.

import { readFile } from "node:fs/promises";
import { send } from "./http.ts";
import { secondsBetween } from "./seed.ts";
import type { Setting } from "./setting.ts";

export type Exported = { donations: number; megabytes: number; firstByteMs: number; seconds: number; grownMegabytes: number | null };

const wanted = 1_000_000;

export async function measureExport(url: string, pid: number, { keys, rows }: Setting): Promise<Exported> {
  const donations = Math.min(wanted, rows.larger);
  const from = new Date(Date.now() - donations * secondsBetween * 1_000).toISOString();
  const path = `${url}/api/v1/donations/export?sort=createdAt&from=${from}`;
  const small = await send(`${url}/api/v1/donations/export?from=${new Date(Date.now() - 86_400_000).toISOString()}`, keys.larger); // warms up
  if (small.status !== 200) throw new Error(`an export was answered ${small.status}: ${small.body}`);
  const before = await residentMegabytes(pid);
  let peak = before;
  const watch = setInterval(async () => {
    peak = Math.max(peak ?? 0, (await residentMegabytes(pid)) ?? 0);
  }, 100);
  let bytes = 0;
  const { status, firstByteMs, ms } = await send(path, keys.larger, undefined, (chunk) => {
    bytes += chunk.length;
  }).finally(() => clearInterval(watch));
  if (status !== 200) throw new Error(`an export was answered ${status}`);
  const grownMegabytes = before === null || peak === null ? null : peak - before;
  return { donations, megabytes: bytes / 2 ** 20, firstByteMs, seconds: ms / 1_000, grownMegabytes };
}

/** Null where there is no /proc. */
async function residentMegabytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /VmRSS:\s+(\d+)/.exec(status)?.[1];
  return kilobytes ? Number(kilobytes) / 1_024 : null;
}
