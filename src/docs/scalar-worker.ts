// Stands in for Fastify towards Scalar's plugin, as far as that needs it to serve its program, and hands the program to scalar.ts.

import { parentPort } from "node:worker_threads";
import plugin from "@scalar/fastify-api-reference";

type Reply = { header: () => Reply; send: (body: string) => Reply };
type Route = { url: string; handler: (request: object, reply: Reply) => void };

const sends: Reply = {
  header: () => sends,
  send: (program) => {
    parentPort?.postMessage(program);
    return sends;
  },
};

const fastify = {
  initialConfig: {},
  route: ({ url, handler }: Route) => {
    if (url.endsWith("/js/scalar.js")) handler({}, sends);
  },
};

plugin(fastify as never, { configuration: { url: "openapi.json" } }, () => {});
