// The studio's imports in Chromium: from the file to its donations, and back.

import type { Browser } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { target } from "../harness/server/target.ts";
import { followLink, openChromium, openTab, sendForm, type Tab } from "./chromium.ts";
import { expectedMessages, looksRight, screens } from "./studio-screens.ts";
import { newLogin } from "./studio-session.ts";

// Password checks are slow on purpose, and each screen has its own streamer.

let browser: Browser;
beforeAll(async () => void (browser = await openChromium()));

const open = ({ page }: Tab, path: string) => page.goto(target().url + path);
const file = (text: string, name = "tips.csv") => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
const list = `Who,Tip,Date,Comment\nมาลี <b>,20,2026-11-20 19:30,สวัสดี\nSomchai,0,2026-11-20,nothing\nMalee,30,2026-11-20,${"long ".repeat(30)}\n`;
async function upload(tab: Tab, sent: ReturnType<typeof file>): Promise<void> {
  await tab.page.locator("input[type=file]").setInputFiles(sent);
  await sendForm(tab, tab.page.locator("form[action$='/import/check'] button"));
  await tab.page.locator("h2#what").waitFor();
}

test.each(screens)(
  "a streamer imports a file by choosing its columns, sees what is refused, and undoes the import: %s",
  async (screen, options) => {
    const tab = await openTab(browser, options);
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
