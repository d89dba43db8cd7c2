import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../db/testing.ts";
import { openFile } from "./open-file.ts";
import { noChoices } from "./table.ts";

// Neither Streamlabs, StreamElements nor DonationAlerts documents its export file: their columns here are named as the members of their APIs, and
// as people name them. Those of Ko-fi and PayPal are named as in files that programs of others read.

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
  const items = await Array.fromAsync(openFile(file, { timezone: "Asia/Bangkok", columns: new Map(), choices: noChoices }));
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

/** The name, amount, time and message of each row, `unpaid`, or its faults. */
async function outcomes(text: string): Promise<unknown[]> {
  const file = join(await temporaryDirectory(), "tips.csv");
  await writeFile(file, text);
  const items = await Array.fromAsync(openFile(file, { timezone: "Asia/Bangkok", columns: new Map(), choices: noChoices }));
  return items.map((item) => {
    if (!("donation" in item)) return item.fault;
    const { value, faults, isUnpaid } = item.donation;
    if (isUnpaid) return "unpaid";
    return Object.keys(faults).length > 0 ? faults : [value.donatorName, value.amount, value.createdAt, value.message];
  });
}

test("a file of Ko-fi is read: the time is in UTC, and what was given is no donation", async () => {
  const text = `DateTime (UTC),From,Message,Item,Received,Given,Currency,TransactionType,TransactionId,Email
12/25/2025 13:15,Han,"Thanks, all",,100.00,,THB,Donation,t1,han@example.com
10/03/2025 13:05,Ida,,,50.50,,THB,Donation,t2,
`;
  expect(await outcomes(text)).toEqual([
    ["Han", 100, "2025-12-25T13:15:00.000Z", "Thanks, all"],
    ["Ida", 50.5, "2025-10-03T13:05:00.000Z", undefined],
  ]);
});

test("a file of PayPal is read: date, time and zone are joined, and only completed payments are donations", async () => {
  const text = `"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","From Email Address","Transaction ID","Subject","Note"
"20/11/2026","04:30:00","PST","Fa","Donation Payment","Completed","THB","1,100.00","-10.00","1,090.00","fa@example.com","9AB","","hi"
"20/11/2026","04:31:00","PST","Bo","Donation Payment","Pending","THB","100.00","0.00","100.00","","9AC","",""
"20/11/2026","07:32:00","EST","Ci","Donation Payment","Refunded","THB","100.00","0.00","100.00","","9AD","",""
`;
  expect(await outcomes(text)).toEqual([["Fa", 1100, "2026-11-20T12:30:00.000Z", "hi"], "unpaid", "unpaid"]);
});

test.each([
  ["German", '"Datum","Uhrzeit","Zeitzone","Name","Typ","Status","Währung","Brutto","Netto","Transaktionscode","Hinweis"', "Abgeschlossen"],
  [
    "French",
    '"Date","Heure","Fuseau horaire","Nom","Type","État","Devise","Avant commission","Net","Numéro de transaction","Remarque"',
    "Terminé",
  ],
  ["Spanish", '"Fecha","Hora","Zona horaria","Nombre","Tipo","Estado","Divisa","Bruto ","Neto","Id. de transacción","Nota"', "Completado"],
  ["Italian", '"Data","Ora","Fuso orario","Nome","Tipo","Stato","Valuta","Lordo ","Netto","Codice transazione","Nota"', "Completata"],
])("a file of PayPal in %s is read, with decimal commas", async (_, header, status) => {
  const row = `"20/11/2026","13:30:00","Europe/Berlin","Fa","x","${status}","THB","1.234,56","1,00","9AB","hi"`;
  expect(await outcomes(`${header}\n${row}\n`)).toEqual([["Fa", 1234.56, "2026-11-20T12:30:00.000Z", "hi"]]);
});

test.each([
  "name,amount,currency,message,created_at",
  "Имя,Сумма,Валюта,Сообщение,Дата",
  "Отправитель,Сумма (฿),Валюта,Комментарий,Дата и время",
])("a file of DonationAlerts under %s is read", async (header) =>
  expect(await outcomes(`${header}\nИван,100.50,THB,Привет,2026-11-20 19:30:00\n`)).toEqual([
    ["Иван", 100.5, "2026-11-20T12:30:00.000Z", "Привет"],
  ]),
);

test.each([
  ["วันที่ทำรายการ,เวลา,ผู้โอน,จำนวนเงินเข้า,หมายเหตุ", '20/11/2569,19:30,สมชาย,"1,500.00",สู้ๆ'],
  ["วันที่,เวลา,ชื่อผู้โอน,ถอน,ฝาก,คงเหลือ,หมายเหตุ", '20/11/69,19.30 น.,สมชาย,,"1,500.00","9,000.00",สู้ๆ'],
  ["วันเวลาที่ทำรายการ,ชื่อบัญชีผู้โอน,ยอดโอน (บาท),บันทึกช่วยจำ", '20 พ.ย. 2569 19:30,สมชาย,"1,500.00",สู้ๆ'],
])("a list of a Thai bank under %s is read, below rows with its title", async (header, row) =>
  expect(await outcomes(`รายการเดินบัญชี\nเลขที่บัญชี 123-4-56789-0\n${header}\n${row}\n`)).toEqual([
    ["สมชาย", 1500, "2026-11-20T12:30:00.000Z", "สู้ๆ"],
  ]),
);

const outcomeOf = (name: string) => [name, 20, undefined, undefined];
const malee = outcomeOf("Malee");

test("a row that is anonymous is recorded without its name and its identifier, under the same key", async () => {
  const rows = (yes: string, no: string, title = "Anonymous") =>
    `Name,Email,Amount,${title}\nMalee,m@example.com,20,${yes}\nMalee,m@example.com,20,${no}\n`;
  const named = { donatorName: "Malee", amount: 20, identifier: "m@example.com" };
  const keys = (await read(rows("no", ""))).map((value) => (value as { idempotencyKey: string }).idempotencyKey);
  expect(await read(rows("Yes", "no"))).toEqual([
    { donatorName: "Anonymous", amount: 20, idempotencyKey: keys[0] },
    { ...named, idempotencyKey: keys[1] },
  ]);
  for (const [yes, no, title] of [
    ["TRUE", "FALSE", "Is anonymous?"],
    ["Anonymous", "", "Anonymous"],
  ] as const)
    expect(await outcomes(rows(yes, no, title))).toEqual([outcomeOf("Anonymous"), malee]);
  expect(await outcomes(rows("✓", "-", "ไม่ประสงค์ออกนาม"))).toEqual([outcomeOf("ไม่ประสงค์ออกนาม"), malee]);
  expect(await outcomes(rows("perhaps", "0"))).toEqual([{ isAnonymous: "isAnonymous “perhaps” must be known as yes or no" }, malee]);
});

test.each([
  ["Withdrawal,Deposit", ",20", "20,", "20,0.00", "30,-"],
  ["ถอนเงิน (บาท),ฝากเงิน (บาท)", "0.00,20", '"1,500.00",', "5,", "5,–"],
  ["Given,Received", "0.00,20", "55.00,0.00", "55,0", "55,"],
])("money that went out under %s is left out", async (titles, paid, ...unpaid) => {
  const text = [`Name,${titles}`, ...[paid, ...unpaid].map((cells) => `Malee,${cells}`)].join("\n");
  expect(await outcomes(text)).toEqual([malee, ...unpaid.map(() => "unpaid")]);
});

test("a row of 0 baht is no withdrawal where what is given is a name", async () =>
  expect(await outcomes("Given,Name,Amount\nAnan,Malee,0\n")).toEqual([["Malee", 0, undefined, undefined]]));

test.each(["Completed at", "support_created_on", "Donation date", "Payment received on"])(
  "a column named %s has the times",
  async (title) =>
    expect(await outcomes(`Name,Amount,${title}\nMalee,20,2026-11-20 19:30\n`)).toEqual([
      ["Malee", 20, "2026-11-20T12:30:00.000Z", undefined],
    ]),
);
