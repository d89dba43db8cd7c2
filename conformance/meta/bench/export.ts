// The export of up to a million donations: when it begins, how long it takes, what the server's memory grows by meanwhile.

import { send } from "./http.ts";
import { secondsBetween } from "./seed.ts";
import { count, type Setting } from "./setting.ts";
import { residentMegabytes } from "./speed/usage.ts";

type Exported = { donations: number; megabytes: number; firstByteMs: number; seconds: number; grownMegabytes: number | null };

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
    peak = Math.max(peak, await residentMegabytes(pid));
  }, 100);
  let bytes = 0;
  const { status, firstByteMs, ms } = await send(path, keys.larger, undefined, (chunk) => {
    bytes += chunk.length;
  }).finally(() => clearInterval(watch));
  if (status !== 200) throw new Error(`an export was answered ${status}`);
  const grownMegabytes = before === 0 ? null : peak - before;
  return { donations, megabytes: bytes / 2 ** 20, firstByteMs, seconds: ms / 1_000, grownMegabytes };
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
