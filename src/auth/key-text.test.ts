import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { makeKey, randomBase62, readKey } from "./key-text.ts";

const key = makeKey("namjai", "v1");

test("a key is prefix, 40 base62 characters and the CRC-32 of all that in six more", () => {
  expect(key).toMatch(/^namjai_v1_[0-9A-Za-z]{46}$/);
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const checksum = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  expect(checksum).toBe(crc32(key.slice(0, -6)));
});

test("a key reads back; its public id is the first eight characters", () => {
  expect(readKey("namjai", "v1", key)?.publicId).toBe(key.slice(10, 18));
});

test("any single wrong character is noticed without a database", () => {
  for (let i = 0; i < key.length; i += 1) {
    const wrong = key.slice(0, i) + (key[i] === "x" ? "y" : "x") + key.slice(i + 1);
    expect(readKey("namjai", "v1", wrong)).toBeNull();
  }
});

test("another brand's key, a longer and a shorter one are none", () => {
  for (const text of [makeKey("other", "v1"), `${key}0`, key.slice(0, -1), "", "namjai_v1_"])
    expect(readKey("namjai", "v1", text)).toBeNull();
});

test("a key of one kind is none of the other", () => {
  expect(makeKey("namjai", "o1")).toMatch(/^namjai_o1_[0-9A-Za-z]{46}$/);
  expect(readKey("namjai", "v1", makeKey("namjai", "o1"))).toBeNull();
  expect(readKey("namjai", "o1", key)).toBeNull();
});

test("random base62 uses all 62 characters about equally", () => {
  const counts = new Map<string, number>();
  for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250);
});
