// The program that draws the reference: one file of 4 MB, which nobody reads before somebody asks for it. The package with that file
// alone comes with 300 MB of others; this one serves the same file to Fastify, from one of its own.

import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { StaticFile } from "../http/files.ts";

const plugin = import.meta.resolve("@scalar/fastify-api-reference");
const { version } = JSON.parse(readFileSync(new URL("../package.json", plugin), "utf8")) as { version: string };

/** Changes with the version, so that the file may be kept for ever. */
export const scalarName = `scalar-${version}.js`;

export function scalarProgram(): StaticFile {
  return { type: "text/javascript", size: statSync(fileURLToPath(plugin)).size, load: loadProgram, cache: "immutable" };
}

/** In a thread that ends: what the plugin loads beside the program would stay in memory. */
async function loadProgram(): Promise<Buffer> {
  const [program] = await once(new Worker(new URL("./scalar-worker.ts", import.meta.url)), "message");
  return Buffer.from(program as string);
}
