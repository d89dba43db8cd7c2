import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readConfig } from "./config.ts";

const folder = await mkdtemp(join(tmpdir(), "donations-secrets-"));
afterAll(() => rm(folder, { recursive: true }));
const file = join(folder, "secret");

test("a secret is read from the file that NAME_FILE names, without the line's end", async () => {
  await writeFile(file, "postgres://donations@database/donations\n");
  expect(readConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe("postgres://donations@database/donations");
});

test("a secret that is set twice is refused by both names", () => {
  expect(() => readConfig({ SECRET_KEY: "a", SECRET_KEY_FILE: file })).toThrow("SECRET_KEY and SECRET_KEY_FILE are both set");
});

test.each(["", " \n"])(
  "a file of a secret that is empty (%j) is refused by the setting's name, and does not count as unset",
  async (text) => {
    await writeFile(file, text);
    expect(() => readConfig({ DATABASE_URL_FILE: file })).toThrow(`DATABASE_URL_FILE names a file that is empty: ${file}`);
  },
);

test("a file of a secret that can't be read is refused by the setting's name", () => {
  expect(() => readConfig({ REDIS_URL_FILE: join(folder, "missing") })).toThrow("REDIS_URL_FILE names a file that can't be read (ENOENT)");
});
