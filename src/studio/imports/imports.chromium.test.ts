// The studio's imports in Chromium: from the file to its donations, and back.

import { utils, write } from "@e965/xlsx";
import { expect, test } from "vitest";
import { followLink, openTab, sendForm, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import { expectedMessages, looksRight, screens } from "../../../conformance/meta/browser/page-checks.ts";
import { newLogin } from "../../../conformance/meta/browser/streamers.ts";
import { target } from "../../../conformance/suite/values/target.ts";

// Password checks are slow on purpose, and each screen has its own streamer.

const open = ({ page }: Tab, path: string) => page.goto(target().url + path);

const file = (content: string | Buffer, name = "tips.csv") => ({ name, mimeType: "text/csv", buffer: Buffer.from(content) });

const list = `Who,Tip,Date,Comment\nมาลี <b>,20,2026-11-20 19:30,สวัสดี\nSomchai,0,2026-11-20,nothing\nMalee,30,2026-11-20,${"long ".repeat(30)}\n`;

async function upload(tab: Tab, sent: ReturnType<typeof file>): Promise<void> {
  await tab.page.locator("input[type=file]").setInputFiles(sent);
  await sendForm(tab, tab.page.locator("form[action$='/import/check'] button"));
  await tab.page.locator("h2#what").waitFor();
}

test.each(screens)(
  "a streamer imports a file by choosing its columns, sees what is refused, and undoes the import: %s",
  async (screen, options) => {
    const tab = await openTab(options);
    const { page } = tab;
    await newLogin(tab, "/studio/import");
    await looksRight(tab, `studio-import-empty-${screen}`);

    await upload(tab, file("", "empty.csv"));
    await expect.poll(() => page.locator("[role=alert]").textContent()).toContain("the file is empty");
    await looksRight(tab, `studio-import-unreadable-${screen}`);
    await open(tab, "/studio/import");
    await upload(tab, file(list));
    await expect
      .poll(() => page.locator("[role=alert]").textContent(), { message: "the column of names is not known" })
      .toContain("Choose the columns");
    await page.locator("select[name='column 0']").selectOption("donatorName");
    const zone = page.locator("select[name=timeZone]");
    await expect.poll(() => zone.inputValue()).toBe("Asia/Bangkok");
    await zone.selectOption("Asia/Tokyo");
    await sendForm(tab, page.getByRole("button", { name: "Check again" }));
    await expect.poll(() => zone.inputValue(), { message: "the zone that was chosen stays" }).toBe("Asia/Tokyo");
    await page.getByText("Import 2 donations").waitFor();
    await expect.poll(() => page.locator("main").textContent()).toContain("row 3");
    await looksRight(tab, `studio-import-check-${screen}`);

    await sendForm(tab, page.getByText("Import 2 donations"));
    await page.getByText("The import is complete").waitFor();
    expect(new URL(page.url()).pathname).toBe("/studio/import/result");
    await looksRight(tab, `studio-import-result-${screen}`);
    await open(tab, "/studio");
    await expect.poll(() => page.locator("main").textContent()).toContain("มาลี <b>");

    await open(tab, "/studio/import");
    await looksRight(tab, `studio-import-list-${screen}`);
    await followLink(tab, page.getByRole("link", { name: "Undo this import" }));
    await page.locator("h2#which").waitFor();
    await looksRight(tab, `studio-import-undo-${screen}`);
    await sendForm(tab, page.locator("form[action$='/import/undo'] button"));
    await page.getByText("Import undone").waitFor();
    await expect.poll(() => page.getByText("Undo this import").count()).toBe(0);
    await open(tab, "/studio");
    await expect.poll(() => page.locator("main").textContent()).toContain("Void: Recorded by mistake");
    expect(tab.complaints.filter((one) => !expectedMessages.test(one))).toEqual([]);
    await tab.context.close();
  },
);

/** Thai letters have one byte in windows-874. */
const windows874 = (text: string): Buffer =>
  Buffer.from(Array.from(text, (letter) => (letter > "\u0e00" ? letter.charCodeAt(0) - 0x0e00 + 0xa0 : letter.charCodeAt(0))));

function workbook(sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>): Buffer {
  const book = { SheetNames: Object.keys(sheets), Sheets: {} as Record<string, object> };
  for (const [name, rows] of Object.entries(sheets)) book.Sheets[name] = utils.aoa_to_sheet(rows.map((row) => [...row]));
  return write(book, { type: "buffer", bookType: "xlsx" });
}

const thaiFile = windows874(
  "ผู้โอน,จำนวนเงินเข้า,วันที่ทำรายการ,เวลา,หมายเหตุ\nสมชาย ใจดี,107,20 พ.ย. 2569,19:30,สู้ ๆ นะครับ\nมาลี,1250.50,21 พ.ย. 2569,9:05,\nสมหญิง,เยอะ,21 พ.ย. 2569,9:10,ขอบคุณ\n",
);
const header = ["Name", "Amount", "Date", "Message"];

const twoSheets = workbook({
  January: [header, ["Anan", 18, "2026-01-20 19:30", "hi"]],
  February: [header, ["Bo", 21, "2026-02-20 19:30", "hello"]],
});
const ambiguous = "Name,Amount,Date,Message\nAnan,10,03/04/2026 19:30,hi\nBo,20,05/06/2026 20:15,\n";

const refunded =
  "Name,Gross,Date,Status,Note\nAnan,100,2026-11-20 19:30,Completed,hi\nBo,200,2026-11-20 19:31,Refunded,\nCi,50,2026-11-20 19:32,Pending,\n";

test.each(screens)(
  "how a file is read can be seen and changed before its import, with its rows as they will be recorded: %s",
  async (screen, options) => {
    const tab = await openTab(options);
    const { page } = tab;
    await newLogin(tab, "/studio/import");
    const shown = (row: number) => page.locator(`.rows tbody tr >> nth=${row}`);
    const start = page.locator("button[formaction$='/import/start']");
    const see = (name: string) => looksRight(tab, `review-${name}-${screen}`);
    const choose = async (name: string, value: string) => {
      const field = page.locator(`select[name='${name}']`);
      await field.focus();
      await field.selectOption(value);
      if (!tab.scripted) await sendForm(tab, page.getByRole("button", { name: "Check again" }));
    };
    const next = async (content: string | Buffer, name?: string) => {
      await open(tab, "/studio/import");
      await upload(tab, file(content, name));
    };

    await next(thaiFile, "ธนาคาร.csv");
    await expect.poll(() => shown(0).textContent()).toContain("สมชาย ใจดี");
    expect(await shown(0).textContent()).toMatch(/฿107.*20 Nov 2026, 19:30.*สู้ ๆ/);
    expect(await shown(2).textContent()).toContain("Amount “เยอะ”");
    await expect.poll(() => page.locator("select[name=encoding]").locator(":checked").textContent()).toContain("Thai, windows-874");
    await see("windows-874");
    await choose("encoding", "windows-1252");
    await expect.poll(() => shown(0).textContent()).not.toContain("สมชาย");
    await choose("encoding", "");
    await expect.poll(() => shown(0).textContent()).toContain("สมชาย ใจดี");

    await next(twoSheets, "tips.xlsx");
    await expect.poll(() => start.count()).toBe(0);
    await see("two-sheets");
    await choose("sheet", "February");
    await expect.poll(() => shown(0).textContent()).toContain("Bo");
    await expect.poll(() => start.textContent()).toBe("Import 1 donation");

    await next(ambiguous);
    expect(await shown(0).textContent()).toContain("Waits for your answer");
    await expect.poll(() => start.count()).toBe(0);
    await see("ambiguous-date");
    await choose("dateOrder", "month-first");
    await expect.poll(() => shown(0).textContent()).toContain("4 Mar 2026, 19:30");
    await choose("dateOrder", "day-first");
    await expect.poll(() => shown(0).textContent()).toContain("3 Apr 2026, 19:30");
    if (tab.scripted) expect(await page.locator("select:focus").getAttribute("name"), "the focus stays at the choice").toBe("dateOrder");

    await next(refunded);
    await expect.poll(() => start.textContent()).toBe("Import 1 donation");
    expect(await shown(1).textContent()).toContain("Not paid: left out");
    await see("refunded");
    await page.locator("input[name=withUnpaid]").check();
    if (!tab.scripted) await sendForm(tab, page.getByRole("button", { name: "Check again" }));
    await expect.poll(() => start.textContent()).toBe("Import 3 donations");
    await sendForm(tab, start);
    await page.getByText("The import is complete").waitFor();

    await next(refunded);
    await page.locator("[role=status]", { hasText: "The one donation of this file is recorded already" }).waitFor();
    expect(await start.count()).toBe(0);
    await see("recorded-before");
    expect(tab.complaints.filter((one) => !expectedMessages.test(one))).toEqual([]);
    await tab.context.close();
  },
);

test("a button that is pressed while the form of an import is drawn anew sends the form", async () => {
  const tab = await openTab();
  const { page } = tab;
  await newLogin(tab, "/studio/import");
  await upload(tab, file(ambiguous));
  let press: () => void;
  const isPressed = new Promise<void>((resolve) => (press = resolve));
  await page.route("**/import/check", async (route) => {
    if (route.request().resourceType() === "fetch") await isPressed;
    await route.continue();
  });
  await page.route("**/studio.js", async (route) => {
    if (route.request().method() !== "HEAD") return route.continue();
    press();
    await page.locator("form[aria-busy]").waitFor({ state: "detached" });
    await route.continue();
  });
  const order = page.locator("select[name=dateOrder]");
  await order.selectOption("month-first");
  await sendForm(tab, page.getByRole("button", { name: "Check again" }));
  expect(await order.inputValue()).toBe("month-first");
  await tab.context.close();
});
