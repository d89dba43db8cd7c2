import { expect, test } from "vitest";
import { Problem } from "../../http/problem.ts";
import { answer, openStudio } from "../testing.ts";
import { donation, fault, settings } from "../testing-examples.ts";

const standing = {
  rank: 3,
  total: 1_750.5,
  count: 4,
  name: "Malee <b>",
  identifier: null,
  firstAt: 0,
  lastAt: Date.parse("2026-11-20T05:30:00Z"),
};

test("a donator's page shows sum, number, rank, first and latest donation, and each donation as a link", async () => {
  const asked: unknown[] = [];
  const studio = openStudio({
    donations: {
      standing: async (...request) => {
        asked.push(request);
        return standing;
      },
      ofDonator: async (...request) => {
        asked.push(request);
        return { donations: [donation({ id: "d7" })], next: "NEXT" };
      },
    },
  });
  const { html } = await studio.get("/studio/donator?name=%40MALEE&cursor=C");
  for (const part of ["฿1,750.50", "#3", "1 Jan 1970", "20 Nov 2026", "/studio/donation?id=d7", "Malee &lt;b&gt;"])
    expect(html).toContain(part);
  expect(html).toContain('href="/studio/donator?name=%40MALEE&amp;cursor=NEXT"');
  expect(asked).toEqual([
    ["somchai's id", "n:malee"],
    ["somchai's id", "n:malee", "C"],
  ]);
});

test("a donator with an identifier is found by it alone", async () => {
  const keys: string[] = [];
  const note = async (_: string, key: string) => {
    keys.push(key);
    return "Sends <cakes>";
  };
  const { html } = await openStudio({ donations: { note } }).get("/studio/donator?identifier=line:1");
  expect([keys, html.includes("Sends &lt;cakes&gt;</textarea>")]).toEqual([["i:line:1"], true]);
});

test.each(["standing", "nobody"])("a donator of whom nothing counts has a page while there are void donations: %s", async (who) => {
  const donations = who === "nobody" ? [] : [donation({ voided: { at: "2026-11-21T04:00:00.000Z", reason: "refund" } })];
  const studio = openStudio({ donations: { standing: async () => null, ofDonator: async () => ({ donations, next: null }) } });
  const { html, location } = await studio.get("/studio/donator?name=Malee");
  if (who === "nobody") expect(location).toBe("/studio/history?note=no-donator");
  else expect(html).toContain("None of these donations counts.");
});

test("who was erased has no page", async () => {
  const erased = { donations: { standing: async () => ({ ...standing, name: "(erased)" }) } };
  expect((await openStudio(erased).get("/studio/donator?name=(erased)")).location).toBe("/studio/history?note=no-donator");
});

test("a note is saved for the donator's key, without blanks around it, and one that is too long is shown again with the fault", async () => {
  const studio = openStudio();
  const reply = await studio.post("/studio/donator/note", { name: "Malee", identifier: "", note: " Sends cakes\r\nto all " });
  expect(reply.location).toBe("/studio/donator?name=Malee&note=note-saved");
  expect(studio.calls).toEqual([["saveNote", "somchai's id", "n:malee", "Sends cakes\nto all"]]);
  const long = await openStudio().post("/studio/donator/note", { name: "Malee", identifier: "", note: "x".repeat(501) });
  expect([long.status, long.html.includes('id="field-note-fault"'), long.html.includes("x".repeat(501))]).toEqual([400, true, true]);
});

test("no note is kept about somebody who has not donated", async () => {
  const studio = openStudio({ donations: { ofDonator: async () => ({ donations: [], next: null }) } });
  expect((await studio.post("/studio/donator/note", { name: "Nobody", note: "x" })).location).toBe("/studio/history?note=no-donator");
  expect(studio.calls).toEqual([]);
});

test("a name is blocked as one more blocked word of the settings, and unblocked as one less", async () => {
  const studio = openStudio();
  const malee = { name: "Malee", identifier: "", word: "Malee" };
  expect((await studio.post("/studio/donator/block", { ...malee, block: "on" })).location).toBe(
    "/studio/donator?name=Malee&note=name-blocked",
  );
  const blocked = { getAlertSettings: answer({ ...settings, blockedWords: ["spam", "Malee"] }) };
  const other = openStudio({ answers: blocked });
  expect((await other.get("/studio/donator?name=Malee")).html).toContain("Unblock this name");
  await other.post("/studio/donator/block", { ...malee, block: "off" });
  const sent = [...studio.calls, ...other.calls].map(([what, , call]) => [what, (call as { body: unknown }).body]);
  expect(sent).toEqual([
    ["updateAlertSettings", { blockedWords: ["spam", "สแปม", "Malee"] }],
    ["updateAlertSettings", { blockedWords: ["spam"] }],
  ]);
});

test("a name with a blocked word in it is said to be blocked already, without a button", async () => {
  const answers = { getAlertSettings: answer({ ...settings, blockedWords: ["mal"] }) };
  const { html } = await openStudio({ answers }).get("/studio/donator?name=Malee");
  expect([html.includes("A blocked word is in this name already."), html.includes('name="block"')]).toEqual([true, false]);
});

test("a name that can't be blocked, because there are too many blocked words, leads back with the reason", async () => {
  const updateAlertSettings = async () => {
    throw new Problem("validation_failed", "no", { errors: [fault("/blockedWords", "too_many_items", "too many")] });
  };
  const reply = await openStudio({ answers: { updateAlertSettings } }).post("/studio/donator/block", {
    name: "Malee",
    word: "Malee",
    block: "on",
  });
  expect(reply.location).toBe("/studio/donator?name=Malee&note=not-blocked");
});

test("a cursor that is no longer good leads to the donator's latest donations", async () => {
  const ofDonator = async () => {
    throw new Problem("invalid_cursor", "no");
  };
  expect((await openStudio({ donations: { ofDonator } }).get("/studio/donator?name=Malee&cursor=old")).location).toBe(
    "/studio/donator?name=Malee",
  );
});
