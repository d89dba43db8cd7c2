import { ApiError, connect, type NewDonation } from "./donations-client.ts";

const { API_URL, API_KEY } = process.env;
if (!API_URL || !API_KEY) throw new Error("set API_URL and API_KEY");

const client = connect({ url: API_URL, key: API_KEY });

/** Records a donation, or prints why it is refused. */
async function record(donation: NewDonation): Promise<void> {
  try {
    const { id, amount } = await client.record(donation);
    console.log("recorded:", id, amount);
  } catch (error) {
    if (!(error instanceof ApiError.of("validation_failed"))) throw error;
    for (const { pointer, code, message } of error.problem.errors ?? []) console.log(`refused: ${pointer} ${code}, ${message}`);
  }
}

await record({ donatorName: "สมชาย ใจดี", amount: 100, message: "จาก TypeScript", idempotencyKey: "typescript-1" });
await record({ donatorName: "สมชาย ใจดี", amount: 0 });

const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Asia/Bangkok" });
for await (const { donatorName, amount, currency } of client.items("/api/v1/donations", { from: today, to: today, sort: "createdAt" }))
  console.log(donatorName, amount, currency);

const { data: stats } = await client.GET("/api/v1/donations/stats");
if (stats) console.log("total of all time:", stats.data.total, "of", stats.data.count, "donations");
