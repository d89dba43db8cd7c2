// `node spec/check/copy-scalar.ts FOLDER` writes the program of the API reference there, its version in its name. Scalar publishes it for
// servers by a route of its Fastify plugin alone; the package with the file comes with 300 MB of others.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import plugin from "@scalar/fastify-api-reference";
import fastify from "fastify";

const [, , folder = "generated"] = process.argv;
const description = new URL("../package.json", import.meta.resolve("@scalar/fastify-api-reference"));
const { version } = JSON.parse(await readFile(description, "utf8")) as { version: string };

const server = fastify();
await server.register(plugin, { routePrefix: "/", configuration: { url: "openapi.json" } });
const { statusCode, rawPayload } = await server.inject("/js/scalar.js");
if (statusCode !== 200) throw new Error(`Scalar's plugin answers ${statusCode} for its program`);
await writeFile(join(folder, `scalar-${version}.js`), rawPayload);
