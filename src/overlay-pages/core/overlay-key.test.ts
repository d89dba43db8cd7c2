import { expect, test } from "vitest";
import { readOverlayKey } from "./overlay-key.ts";

test.each([
  ["namjai_overlay_x", "namjai_overlay_x"],
  ["namjai%5Foverlay%5Fx", "namjai_overlay_x"],
  ["", ""],
])("the key of the fragment %j is decoded: %j", (fragment, key) => {
  expect(readOverlayKey(fragment)).toBe(key);
});

test.each(["namjai_overlay_x%", "%", "%zz", "%E0%B9", "%E0%B9%84%E0%B8%97%E0%B8%A2", "a%20b", "a%0Ab"])(
  "the fragment %j, which has no key that could be sent, is a wrong key that can be sent",
  (fragment) => {
    const key = readOverlayKey(fragment);
    expect(new Headers({ Authorization: `Bearer ${key}` }).get("Authorization")).toBe(`Bearer ${fragment}`);
  },
);
