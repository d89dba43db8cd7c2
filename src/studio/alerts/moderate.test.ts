import { expect, test } from "vitest";
import { fakeAccounts, openStudio } from "../testing.ts";

test.each(["th", "en"] as const)(
  "the moderators' page needs no login, contains no streamer's data, and is in one language: %s",
  async (language) => {
    const studio = openStudio({ accounts: fakeAccounts(null) });
    const page = await studio.get("/moderate", language);
    expect(page).toMatchObject({ status: 200, location: "", scripted: true });
    expect(page.html).toContain(`<html lang="${language}">`);
    expect(page.html.includes("Nothing waits for approval.")).toBe(language === "en");
    expect(page.html.includes("ไม่มีรายการรออนุมัติ")).toBe(language === "th");
    expect(studio.calls).toEqual([]);
  },
);

test("the script of the moderators' page finds every part that it shows a copy of", async () => {
  const studio = openStudio();
  const { html } = await studio.get("/moderate");
  const { javascript = "" } = (await studio.get("/moderate/moderate.js")) as { javascript?: string };
  const offered = [...html.matchAll(/<template data-name="(\w+)">/g)].map(([, name]) => name);
  const named = [...javascript.matchAll(/(?:copyOf|tell|end)\("(\w+)"|listOf\(.*"(\w+)"\)|itemOf\(.*"(\w+)",/g)].map((found) =>
    found.slice(1).find(Boolean),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !offered.includes(name))).toEqual([]);
  for (const [, id] of javascript.matchAll(/getElementById\("(\w+)"\)/g)) expect(html).toContain(`id="${id}"`);
});
