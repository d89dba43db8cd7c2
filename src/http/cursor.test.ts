import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { cursorCodec } from "./cursor.ts";

const codec = cursorCodec(randomBytes(32));

test("opening a cursor returns the sealed content", () => {
  expect(codec.open("list a", codec.seal("list a", { after: { value: "0.1", sequence: 7 } }))).toEqual({
    after: { value: "0.1", sequence: 7 },
  });
});

test("a cursor of another subject or another key is refused", () => {
  const cursor = codec.seal("list a", {});
  expect(() => codec.open("list b", cursor)).toThrow("not made for this list");
  expect(() => cursorCodec(randomBytes(32)).open("list a", cursor)).toThrow("not made for this list");
});

test("a cursor with any changed character is refused", () => {
  const cursor = codec.seal("list a", { sequence: 1 });
  for (let i = 0; i < cursor.length; i += 1) {
    const changed = cursor.slice(0, i) + (cursor[i] === "A" ? "B" : "A") + cursor.slice(i + 1);
    expect(() => codec.open("list a", changed)).toThrow();
  }
});
