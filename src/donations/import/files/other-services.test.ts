import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../db/testing.ts";
import { openFile } from "./open-file.ts";

// Neither Streamlabs nor StreamElements documents its export file. The columns here are named as the members of their APIs: those of Streamlabs'
// GET /donations, and those of a tip of StreamElements.

const streamlabs = `donation_id,created_at,currency,amount,name,message,email
96164121,1730200000,THB,100,Somchai,"Go, go",somchai@example.com
96164122,1730200300,THB,59.5,Manee,,
96164123,1730200600,USD,5,Joe,Hi,joe@example.com
`;
const streamelements = `_id,createdAt,provider,username,email,amount,currency,message,transactionId
5f1,2024-10-29T11:06:40.000Z,paypal,somchai,somchai@example.com,100,THB,"Go, go",PAY-1
5f2,2024-10-29T11:11:40.000Z,paypal,manee,,59.5,THB,,PAY-2
5f3,2024-10-29T11:16:40.000Z,paypal,joe,joe@example.com,5,USD,Hi,PAY-3
`;

/** What would be sent for each row. */
async function read(text: string): Promise<unknown[]> {
  const file = join(await temporaryDirectory(), "tips.csv");
  await writeFile(file, text);
  const items = await Array.fromAsync(openFile(file, { timezone: "Asia/Bangkok", columns: new Map() }));
  return items.map((item) => ("donation" in item ? item.donation.value : item.fault));
}

test("a file with the members of Streamlabs' donations is read, although nobody says what its columns mean", async () => {
  expect(await read(streamlabs)).toEqual([
    {
      ...{ donatorName: "Somchai", amount: 100, currency: "THB", message: "Go, go", identifier: "somchai@example.com" },
      ...{ createdAt: "2024-10-29T11:06:40.000Z", idempotencyKey: "96164121" },
    },
    { donatorName: "Manee", amount: 59.5, currency: "THB", createdAt: "2024-10-29T11:11:40.000Z", idempotencyKey: "96164122" },
    {
      ...{ donatorName: "Joe", amount: 5, currency: "USD", message: "Hi", identifier: "joe@example.com" },
      ...{ createdAt: "2024-10-29T11:16:40.000Z", idempotencyKey: "96164123" },
    },
  ]);
});

test("a file with the members of StreamElements' tips is read, although nobody says what its columns mean", async () => {
  expect(await read(streamelements)).toEqual([
    {
      ...{ donatorName: "somchai", amount: 100, currency: "THB", message: "Go, go", identifier: "somchai@example.com" },
      ...{ createdAt: "2024-10-29T11:06:40.000Z", idempotencyKey: "PAY-1" },
    },
    { donatorName: "manee", amount: 59.5, currency: "THB", createdAt: "2024-10-29T11:11:40.000Z", idempotencyKey: "PAY-2" },
    {
      ...{ donatorName: "joe", amount: 5, currency: "USD", message: "Hi", identifier: "joe@example.com" },
      ...{ createdAt: "2024-10-29T11:16:40.000Z", idempotencyKey: "PAY-3" },
    },
  ]);
});
