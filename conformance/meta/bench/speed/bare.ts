// Servers that only read a JSON body and answer with one, to measure what HTTP itself costs, and one that also records by our writer: no credentials, no
// contract, no limits, no log. `make bench` compares the whole server with them, to measure what the other parts cost.
//   PORT=4200 node bare.ts koa              Koa and koa-bodyparser
//   PORT=4200 node bare.ts http             node:http alone
//   PORT=4200 node bare.ts writer HANDLE    Koa, koa-bodyparser and our writer, for this streamer
// Each prints a line once it listens.

import { createServer, type RequestListener } from "node:http";
import Koa from "koa";
import bodyParser from "koa-bodyparser";
import type { DonationInput } from "../../../../src/donations/donation.ts";

type Bare = { listener: RequestListener; close: () => Promise<void> };

const [kind = "", handle = ""] = process.argv.slice(2);
const kinds: Record<string, () => Bare | Promise<Bare>> = {
  koa: () => withKoa(async (donation) => answerTo(donation)),
  http: bareHttp,
  writer: ourWriter,
};
const { listener, close } = (await kinds[kind]?.()) ?? bareHttp();
createServer(listener).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
process.on("SIGTERM", async () => {
  await close();
  process.exit(0);
});

function answerTo(donation: unknown) {
  return { data: { id: "01a1fac3-0000-7000-8000-000000000000", ...(donation as object) } };
}

function withKoa(record: (donation: object) => Promise<object>, close = async () => {}): Bare {
  const koa = new Koa();
  koa.use(bodyParser()).use(async (ctx) => {
    ctx.body = await record(ctx.request.body as object);
    ctx.status = 201;
  });
  return { listener: koa.callback(), close };
}

function bareHttp(): Bare {
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.stringify(answerTo(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
      response.writeHead(201, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }).end(body);
    });
  };
  return { listener, close: async () => {} };
}

/** It loads the server's code, which the others are measured without. */
async function ourWriter(): Promise<Bare> {
  const { ensureApplication } = await import("../../../../src/auth/api-keys.ts");
  const { readConfig } = await import("../../../../src/config.ts");
  const { openDatabase } = await import("../../../../src/db/database.ts");
  const { pools } = await import("../../../../src/db/pools.ts");
  const { newDonation, toRecord } = await import("../../../../src/donations/donation.ts");
  const { makeWriter } = await import("../../../../src/donations/record/writer.ts");
  const { streamerStore } = await import("../../../../src/donations/streamers.ts");
  const { makeLog } = await import("../../../../src/telemetry/log.ts");
  const config = readConfig(process.env);
  const log = makeLog("warn");
  const database = await openDatabase({ ...config, log });
  const { id: streamerId } = await streamerStore(database.knex).require(handle);
  const applicationId = await ensureApplication(database.knex, streamerId, "bare writer");
  const writer = makeWriter({ pool: database.pool(pools.writer), log });
  const close = async (): Promise<void> => {
    await writer.drain();
    await database.close();
  };
  return withKoa(async (sent) => {
    const input = { currency: "THB", message: "", skipAlert: false, ...sent } as DonationInput;
    const { donation } = await writer.record(
      newDonation(input, { streamerId, applicationId }, { source: "external", channel: "external" }),
    );
    return { data: toRecord(donation, applicationId) };
  }, close);
}
