import { expect, test } from "vitest";
import type { Variation } from "../../alerts/settings/settings.ts";
import { answer, openStudio } from "../testing.ts";
import { alertFile, settings } from "../testing-examples.ts";
import { newVariationForm, toVariation } from "./variation-form.ts";

const variation = (name: string, members: object = {}) =>
  ({ ...toVariation(newVariationForm("neon")), name, ...members }) as unknown as Variation;
const list = [variation("a", { from: 500 }), variation("b", { from: 0, to: 50 })];
const studio = (changes: Parameters<typeof openStudio>[0] = {}) =>
  openStudio({ ...changes, answers: { getAlertSettings: answer({ ...settings, variations: list }), ...changes.answers } });

const typed = { name: "mine", theme: "gold", from: "7", place: "1", version: "v", image: "old" };
const upload = { ...typed, file: Buffer.from("bytes").toString("base64"), "file name": "cat.png" };
const cat = alertFile();

test("a file that is uploaded on the page of a variation is chosen there, what was typed stays, and nothing else is saved", async () => {
  const page = studio({ alertFiles: { list: async () => [cat] } });
  const { status, html } = await page.post("/studio/designer/attach", upload);
  expect(status).toBe(200);
  expect(html).toContain('name="image" value="f1" checked>');
  for (const kept of ['value="mine"', 'value="7"', 'name="place" value="1"', 'name="version" value="v"']) expect(html).toContain(kept);
  expect(page.calls).toEqual([["addFile", "somchai's id", { name: "cat.png", bytes: Buffer.from("bytes") }]]);
});

test("a file that is refused on the page of a variation says why there, and what was typed stays", async () => {
  const page = studio({ alertFiles: { add: async () => ({ refused: "broken" }) } });
  const { status, html } = await page.post("/studio/designer/attach", upload);
  expect(status).toBe(400);
  for (const kept of ["The file is damaged", 'value="mine"']) expect(html).toContain(kept);
  expect((await page.post("/studio/designer/attach", typed)).html).toContain('value="mine"');
});

test("a variation is not saved without a file that was chosen and not uploaded", async () => {
  const page = studio();
  const { status, html } = await page.post("/studio/designer/variation", { ...typed, file: "cat.png" });
  expect([status, page.calls]).toEqual([400, []]);
  expect(html).toContain("was not uploaded");
});

test.each([
  [alertFile(), "file-added"],
  [{ refused: "unsupported" }, "file-unsupported"],
  [{ refused: "no_room" }, "file-no_room"],
] as const)("an upload that ends with %j leads back with its notice", async (outcome, note) => {
  const files: unknown[] = [];
  const page = studio({
    alertFiles: {
      add: async (...added) => {
        files.push(added);
        return outcome;
      },
    },
  });
  const { location } = await page.post("/studio/designer/upload", { file: Buffer.from("x").toString("base64"), "file name": "a.png" });
  expect(location).toBe(`/studio/designer?note=${note}`);
  expect(files).toEqual([["somchai's id", { name: "a.png", bytes: Buffer.from("x") }]]);
});

test("an upload without a file is no upload", async () =>
  expect((await studio().post("/studio/designer/upload")).location).toContain("note=no-file"));

const bothFiles = async () => [
  alertFile({ id: "used", name: "<i>.png", size: 1_000 }),
  alertFile({ id: "free", name: "<i>.png", size: 1_000 }),
];
const withPicture = [variation("a"), variation("<Big>", { image: "used" }), variation("c", { sound: "used" })];

test("a file is deleted by a button that has to be opened first, and says what it does", async () => {
  const page = studio({ alertFiles: { list: bothFiles } });
  const { html } = await page.get("/studio/designer");
  const questions = [...html.matchAll(/<details>(.*?)<\/details>/gs)].map(([, inside]) => inside);
  expect(questions.filter((inside) => inside?.includes("be undone") && inside.includes('name="file"'))).toHaveLength(2);
  expect(html.match(/action="\/studio\/designer\/delete-file"/g)).toHaveLength(2);
  expect(html).toContain("&lt;i&gt;.png");
  expect(html).toContain("image/png · 1 KiB · 1 × 1");
  await page.post("/studio/designer/delete-file", { file: "free" });
  expect(page.calls.at(-1)).toEqual(["removeFile", "somchai's id", "free"]);
});

test("a file that variations use names them, with links, instead of a button that deletes it", async () => {
  const page = studio({ answers: { getAlertSettings: answer({ ...settings, variations: withPicture }) }, alertFiles: { list: bothFiles } });
  const { html } = await page.get("/studio/designer");
  expect(html).toContain('name="file" value="free"');
  expect(html).not.toContain('name="file" value="used"');
  expect(html).toMatch(/In use by <a href="[^"]*place=1[^"]*"><bdi>&lt;Big&gt;<\/bdi><\/a>, <a href="[^"]*place=2/);
});

test("a file that a variation began to use meanwhile is not deleted, and the notice names the variation", async () => {
  const page = studio({
    answers: { getAlertSettings: answer({ ...settings, variations: withPicture }) },
    alertFiles: { list: bothFiles, remove: async () => "in_use" as const },
  });
  const { location } = await page.post("/studio/designer/delete-file", { file: "used" });
  expect((await page.get(location)).html).toContain("Not deleted: “&lt;Big&gt;”, “c” use this file.");
  expect((await page.get("/studio/designer?note=file-in-use&file=free")).html).toContain("A variation uses this file.");
});

test.each(["th", "en"] as const)("what an image with too many pixels may have at most is said in full: %s", async (language) => {
  const { html } = await openStudio().get("/studio/designer?note=file-too_many_pixels", language);
  for (const limit of ["4096 × 4096", "8192", "2000"]) expect(html).toContain(limit);
});
