// Sums up what a test sends in a digest: the same seed must send the same bytes. What no seed decides (the run's id, keys and
// secrets, ids and cursors that the server made up) counts as its name, and the order of requests does not count.

import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { Request } from "../contract/http-request.ts";
import { expectOnline } from "../contract/offline-rules.ts";
import { named } from "../values/redact.ts";
import { running } from "../values/running.ts";
import { target } from "../values/target.ts";

export type Traffic = { requests: number; digest: string };

declare module "vitest" {
  interface TaskMeta {
    traffic?: Traffic;
  }
}

const secretHeader = /^(authorization|cookie)$/i;
const modulus = 2n ** 128n;

const notCounted = new AsyncLocalStorage<true>();

/** Runs `prepare` without counting its requests: they contain generated secrets, which no seed decides. */
export const uncounted = <T>(prepare: () => Promise<T>): Promise<T> => notCounted.run(true, prepare);

/** Counts a request of the running test into its digest. */
export function countRequest(request: Request): void {
  const test = running();
  if (!test) return;
  expectOnline(test);
  if (notCounted.getStore()) return;
  const { requests, digest } = test.meta.traffic ?? { requests: 0, digest: "0" };
  const sum = (BigInt(`0x${digest}`) + BigInt(`0x${hashOf(request)}`)) % modulus;
  test.meta.traffic = { requests: requests + 1, digest: sum.toString(16) };
}

function hashOf({ method = "GET", path, headers = {}, key, body }: Request): string {
  const sent = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${secretHeader.test(name) ? "" : masked(value)}`);
  const hash = createHash("sha256").update([method, maskedPath(path), ...sent.sort(), credential(key)].join("\n"));
  if (body !== undefined) hash.update(`\n\n${masked(unpacked(Buffer.from(body)).toString("latin1"))}`);
  return hash.digest("hex").slice(0, 32);
}

/** What gzip packed counts as what it holds, which may be secrets. */
const unpacked = (body: Buffer): Buffer => (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body);

/** One that was given counts as its name; others are made from them, or made up. */
function credential(key: string | null | undefined): string {
  if (key === null) return "";
  const given = key ?? target().keys.main;
  return secrets().find(([secret]) => secret === given)?.[1] ?? "<another credential>";
}

const maskedPath = (path: string): string =>
  masked(path)
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "<id>")
    .replace(/\b(cursor|code|token)=[^&]+/g, "$1=<server's>");

function masked(text: string): string {
  const { runId } = target();
  const fresh = text.replace(new RegExp(`${runId}(:|%3A)([0-9a-f]{12})(:|%3A)\\d{6}`, "gi"), "<run>$1$2").replaceAll(runId, "<run>");
  const known = secrets().reduce((shown, [secret, name]) => shown.replaceAll(secret, name), fresh);
  const longestFirst = [...made].toSorted(([a], [b]) => b.length - a.length);
  const spoilt = longestFirst.reduce((shown, [one, name]) => shown.replaceAll(one, name), known);
  return spoilt.replace(/eyJ[\w-]{8,}\.[\w-]+\.[\w-]+/g, "<token>");
}

const made = new Map<string, string>();

/** A text that no seed decides, such as a spoilt key, counts as its name. Answers the text. */
export function countAs(name: string, text: string): string {
  made.set(text, `<${name}>`);
  return text;
}

let memory: [string, string][] | undefined;
function secrets(): [string, string][] {
  const { client } = target();
  memory ??= [...named(target()), ...(client ? [[client.id, "<client>"] as [string, string]] : [])];
  return memory;
}
