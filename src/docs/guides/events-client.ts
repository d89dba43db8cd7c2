import { connect } from "./donations-client.ts";

const { API_URL, API_KEY, AFTER, STOP_AFTER } = process.env;
if (!API_URL || !API_KEY) throw new Error("set API_URL and API_KEY");

const client = connect({ url: API_URL, key: API_KEY });

let left = Number(STOP_AFTER ?? Number.POSITIVE_INFINITY);
for await (const event of client.events({ after: AFTER, types: ["donation.created"] })) {
  if (event.type === "donation.created") console.log(event.data.donatorName, "gave", event.data.amount, event.data.currency);
  // Here a program that must not miss anything writes `event.position` to its own database, in the same transaction as what it did.
  left -= 1;
  if (left === 0) {
    console.log(`to go on from here: AFTER=${event.position}`);
    break;
  }
}
