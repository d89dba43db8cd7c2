import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { silent } from "../db/testing.ts";
import { makeKey, randomBase62, readKey, trackLastUse } from "./keys.ts";

const key = makeKey("namjai", "v1");

test("a key is its prefix, 40 base62 characters and the CRC-32 of these as six base62 digits", () => {
  expect(key).toMatch(/^namjai_v1_[0-9A-Za-z]{46}$/);
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const checksum = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  expect(checksum).toBe(crc32(key.slice(0, -6)));
});

test("the public id of a key is the first eight characters after its prefix", () => {
  expect(readKey("namjai", "v1", key)?.publicId).toBe(key.slice(10, 18));
});

test("a key with any one character changed is not read as a key", () => {
  for (let i = 0; i < key.length; i += 1) {
    const wrong = key.slice(0, i) + (key[i] === "x" ? "y" : "x") + key.slice(i + 1);
    expect(readKey("namjai", "v1", wrong)).toBeNull();
  }
});

test("a key of another brand and a key that is too long or too short are not read as a key", () => {
  for (const text of [makeKey("other", "v1"), `${key}0`, key.slice(0, -1), "", "namjai_v1_"])
    expect(readKey("namjai", "v1", text)).toBeNull();
});

test("an overlay key is not read as an API key, and an API key not as an overlay key", () => {
  expect(makeKey("namjai", "o1")).toMatch(/^namjai_o1_[0-9A-Za-z]{46}$/);
  expect(readKey("namjai", "v1", makeKey("namjai", "o1"))).toBeNull();
  expect(readKey("namjai", "o1", key)).toBeNull();
});

test("random base62 text uses all 62 characters about equally often", () => {
  const counts = new Map<string, number>();
  for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250);
});

test("a use that could not be written is written with the next one", async () => {
  const written: string[][] = [];
  let isAway = true;
  const recordUses = async (uses: ReadonlyMap<string, Date>) => {
    if (isAway) throw new Error("the database is away");
    written.push([...uses.keys()]);
  };
  const lastUse = trackLastUse({ recordUses }, 3_600_000, silent);
  lastUse.record("key");
  await lastUse.stop();
  isAway = false;
  lastUse.record("key");
  lastUse.record("key");
  await lastUse.stop();
  await lastUse.stop();
  expect(written).toEqual([["key"]]);
});
