import fc from "fast-check";
import { expect, test } from "vitest";
import { packHints, readHints } from "./open-notifier.ts";

const ids = fc.array(fc.uuid(), { maxLength: 1_000 });
const origin = fc.base64String({ minLength: 8, maxLength: 8 }).map((text) => text.replace(/[^\w]/g, "-"));

test("packed ids are read again from messages that PostgreSQL accepts", () => {
  fc.assert(
    fc.property(origin, ids, (from, streamerIds) => {
      const messages = packHints(from, streamerIds);
      for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(7_900);
      expect(messages.map(readHints).flatMap((hints) => hints?.streamerIds)).toEqual(streamerIds);
      for (const message of messages) expect(readHints(message)?.origin).toBe(from);
    }),
  );
});

test("ids are packed into as few messages as possible", () => {
  const id = "0190a5a0-0000-7000-8000-000000000000";
  expect(packHints("12345678", [])).toEqual([]);
  expect(packHints("12345678", Array(213).fill(id))).toHaveLength(1);
  expect(packHints("12345678", Array(214).fill(id))).toHaveLength(2);
});

test("a text of another format is read as null", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readHints(text)).toBeNull();
    }),
  );
});
