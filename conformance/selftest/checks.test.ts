import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { unpinned } from "../checks/lock-file.ts";
import { checkout } from "../harness/server.ts";

const text = (file: string): string => readFileSync(`${checkout}/${file}`, "utf8");

describe("package-lock.json", () => {
  test("every package of it has the hash of its archive", () => expect(unpinned(JSON.parse(text("package-lock.json")))).toEqual([]));

  test("a package without a hash is named; the project itself and links need none", () =>
    expect(
      unpinned({
        packages: { "": {}, "node_modules/a": { integrity: "sha512-x" }, "node_modules/b": {}, "node_modules/c": { link: true } },
      }),
    ).toEqual(["node_modules/b"]));
});
