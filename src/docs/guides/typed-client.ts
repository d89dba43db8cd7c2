import { connect, type Donation, type NewDonation } from "./donations-client.ts";

const { API_URL, API_KEY } = process.env;
if (!API_URL || !API_KEY) throw new Error("set API_URL and API_KEY");

const client = connect({ url: API_URL, key: API_KEY });

/** Records a donation; null, with the faults printed, when it is refused for what it says. */
async function record(donation: NewDonation): Promise<Donation | null> {
  const { data, error, response } = await client.POST("/api/v1/donations", { body: donation });
  if (data) {
    const again = response.headers.get("Idempotent-Replayed") === "true";
    console.log(again ? "recorded before:" : "recorded:", data.data.id);
    return data.data;
  }
  switch (error.code) {
    case "validation_failed":
      for (const { pointer, code, message } of error.errors ?? []) console.log(`refused: ${pointer} ${code}, ${message}`);
      return null;
    case "insufficient_scope":
      throw new Error(`the key lacks ${error.requiredScopes.join(" ")}`);
    default:
      throw new Error(`${error.code}: ${error.detail} (request ${error.requestId})`);
  }
}

/** All donations of a day in Bangkok, page by page. */
async function* donationsOf(day: string): AsyncGenerator<Donation> {
  let cursor: string | undefined;
  do {
    const query = { from: day, to: day, sort: "createdAt", limit: 100, cursor } as const;
    const { data, error } = await client.GET("/api/v1/donations", { params: { query } });
    if (error) throw new Error(`${error.code}: ${error.detail}`);
    yield* data.data;
    cursor = data.pagination.hasMore ? (data.pagination.nextCursor ?? undefined) : undefined;
  } while (cursor);
}

await record({ donatorName: "สมชาย ใจดี", amount: 100, message: "จาก TypeScript", idempotencyKey: "typescript-1" });
await record({ donatorName: "สมชาย ใจดี", amount: 0 });

const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Asia/Bangkok" });
for await (const { donatorName, amount, currency } of donationsOf(today)) console.log(donatorName, amount, currency);

const { data: stats } = await client.GET("/api/v1/donations/stats");
if (stats) console.log("total of all time:", stats.data.total, "of", stats.data.count, "donations");
