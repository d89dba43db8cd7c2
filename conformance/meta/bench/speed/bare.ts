// Servers that only read a JSON body and answer with one, to measure what HTTP itself costs.
//   PORT=4200 node bare.ts koa      Koa and koa-bodyparser
//   PORT=4200 node bare.ts http     node:http alone

import { createServer, type RequestListener } from "node:http";
import Koa from "koa";
import bodyParser from "koa-bodyparser";

const answerTo = (donation: unknown) => ({ data: { id: "01a1fac3-0000-7000-8000-000000000000", ...(donation as object) } });

function bareKoa(): RequestListener {
  const koa = new Koa();
  koa.use(bodyParser()).use(async (ctx) => {
    ctx.status = 201;
    ctx.body = answerTo(ctx.request.body);
  });
  return koa.callback();
}

const bareHttp: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.stringify(answerTo(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
    response.writeHead(201, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }).end(body);
  });
};

createServer(process.argv[2] === "koa" ? bareKoa() : bareHttp).listen(Number(process.env.PORT), "127.0.0.1", () =>
  console.log("listening"),
);
process.on("SIGTERM", () => process.exit(0));
