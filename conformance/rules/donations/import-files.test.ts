import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

import { listAll } from "../../suite/client/api.ts";
import { addStreamerWithKeys, cli } from "../../suite/client/operator.ts";
import { scopes } from "../../suite/contract/contract.ts";
import { operatorOf } from "../../suite/values/target.ts";

// Files as banks, programs and people in Thailand write them: what a client reads is what the author of the file sees.

/** The bytes of Thai Windows: ASCII, and Thai letters in one byte each. */
const windows874 = (text: string): Buffer =>
  Buffer.from(
    [...text].map((letter) => ((letter.codePointAt(0) ?? 0) < 128 ? letter.charCodeAt(0) : (letter.codePointAt(0) ?? 0) - 0xd60)),
  );

const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

/** Dates with Buddhist years, amounts with thousands and baht, and names in Thai. */
const lines = ["วันที่,เวลา,ชื่อ,จำนวนเงิน,ข้อความ", '20/11/2569,19:30,สมชาย ใจดี,"฿1,234.50",ขอบคุณครับ', '5/1/2567,08:05,น้ำใจ,"500.00 บาท",สู้ๆ'];

const files: [what: string, bytes: Buffer][] = [
  ["Thai Windows (windows-874)", windows874(lines.map((line) => line.replace("฿", "THB ")).join("\r\n"))],
  ["UTF-16 with a byte order mark", utf16(lines.join("\r\n"))],
  ["UTF-8, with tabs", Buffer.from(lines.map((line) => line.replaceAll(/"([^"]*)"|,/g, (_, quoted) => quoted ?? "\t")).join("\n"))],
];

test.for(files)(
  "a file with Buddhist years, baht amounts and Thai names in %s is imported as its author sees it",
  async ([, bytes], context) => {
    const operator = operatorOf(context);
    const handle = `files-${crypto.randomUUID().slice(0, 8)}`;
    const { key } = await addStreamerWithKeys(operator, handle, scopes.join(" "));
    const folder = await mkdtemp(join(tmpdir(), "namjai-import-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "tips.csv");
    await writeFile(file, bytes);
    await cli(operator, "donations", "import", file, "--streamer", handle, "--date-order", "day-first");
    const donations = await listAll({ sort: "createdAt" }, { key });
    expect(donations.map(({ createdAt, donatorName, amount, message }) => [createdAt, donatorName, amount, message])).toEqual([
      ["2024-01-05T01:05:00.000Z", "น้ำใจ", 500, "สู้ๆ"],
      ["2026-11-20T12:30:00.000Z", "สมชาย ใจดี", 1234.5, "ขอบคุณครับ"],
    ]);
  },
);
