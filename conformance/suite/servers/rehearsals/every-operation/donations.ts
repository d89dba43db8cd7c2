// Records, lists, imports, voids and erases donations, and delivers their events.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { onEventBlock } from "../../../client/event-source.ts";
import { cli } from "../../../client/operator.ts";
import { type Caller, donate, donations, type Pagination, somsri, until } from "./caller.ts";

export async function askDonations(caller: Caller): Promise<void> {
  const { send, get } = caller;
  const id = await donate(caller);
  const idempotencyKey = randomUUID();
  for (const _ of [1, 2]) await donate(caller, { idempotencyKey });
  const lines = ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"].map((createdAt) => JSON.stringify({ ...somsri, createdAt }));
  await send("POST", `${donations}/batch`, `${lines.join("\n")}\n`, { type: "application/x-ndjson" });
  const reports = ["stats", "top-donators", "breakdown", "trends/amount?interval=day", "trends/count?interval=day", "export"];
  const sorts = ["createdAt", "-createdAt", "receivedAt", "-receivedAt", "amount", "-amount"].map((sort) => `?sort=${sort}`);
  const filters = ["?identifier=somsri&minAmount=1", "?status=all&channel=external", "?source=test"];
  for (const path of ["", ...sorts, ...filters, `/${id}`, "/search?q=somsri", ...reports.map((report) => `/${report}`)])
    await get(`${donations}${path}`);
  const { nextCursor } = (await get(`${donations}?limit=1`)).pagination as Pagination;
  await get(`${donations}?limit=1&cursor=${nextCursor}`);
  await send("POST", `${donations}/${id}/void`, { reason: "mistake" });
}

export async function askEvents(caller: Caller): Promise<void> {
  const { send, get, listen, key } = caller;
  const { nextCursor } = (await get("/api/v1/events?limit=2")).pagination as Pagination;
  await get(`/api/v1/events?limit=2&after=${nextCursor}`);
  await send("POST", "/api/v1/events/tickets");
  const stream = await listen(`/api/v1/events/stream?after=${nextCursor}`, key);
  let told = "";
  onEventBlock(stream, (block) => void (told += block));
  const id = await donate(caller);
  await until(async () => told.includes(id), "the event of a donation").finally(() => stream.destroy());
}

export async function askWebhooks(caller: Caller): Promise<void> {
  const { send, get, receiver } = caller;
  const webhooks = "/api/v1/webhooks";
  const path = `${webhooks}/${(await send("POST", webhooks, { url: receiver })).data.id}`;
  await get(webhooks);
  await get(path);
  await send("PATCH", path, { description: "for the stream's lights" });
  await send("POST", `${path}/test`, { type: "donation.created" });
  await send("POST", `${path}/rotate-secret`);
  await donate(caller);
  const delivery = await until(async () => {
    const { data = [] } = await get(`${path}/deliveries?status=succeeded`);
    return (data as unknown as { id: string }[])[0]?.id;
  }, "a delivery");
  await send("POST", `${path}/deliveries/${delivery}/redeliver`);
  await send("POST", `${path}/recover`, { since: new Date(Date.now() - 60_000).toISOString() });
  await sleep(2_000); // they are delivered
  await send("DELETE", path);
}

export async function undoImport({ send, env, handle, refuse }: Caller): Promise<void> {
  const importId = randomUUID();
  const imported = [1, 2].map((amount) => ({ ...somsri, amount, idempotencyKey: randomUUID(), createdAt: "2022-01-01T00:00:00Z" }));
  await send("POST", `${donations}/batch?importId=${importId}`, { donations: imported });
  const output = await cli({ env, handle }, "donations", "undo-import", importId, "--streamer", handle);
  if (JSON.parse(output).voided !== 2) refuse(`undo-import: ${output}`);
}

export async function eraseDonator({ send }: Caller): Promise<void> {
  for (const dryRun of [true, false]) await send("POST", "/api/v1/donators/erase", { identifier: "somsri", dryRun });
}
