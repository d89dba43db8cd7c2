// Command line of the conformance command.

import { describe, expect, test } from "vitest";
import { readSettings } from "../command/options.ts";
import { toPattern } from "../command/rule-files.ts";
import { UsageError } from "../command/usage-error.ts";
import { conformance, secret } from "./command.ts";

describe("invalid options exit with 64 and a message", () => {
  test.each([
    [["--url", "http://127.0.0.1:1"], {}, "needs API_KEY"],
    [["--url", "ftp://example.com"], { API_KEY: secret }, "not an http or https address"],
    [["--nonsense"], {}, "--nonsense"],
  ])("%j", async (words, env, reason) => {
    const { code, output } = await conformance(words, env as Record<string, string>);
    expect([code, output]).toEqual([64, expect.stringContaining(reason)]);
  });

  test.each([
    [["--profile", "all"]],
    [["--length-unit", "bytes"]],
    [["--length-unit", "utf-16"]],
    [["--depth", "deep"]],
    [["--seed", "x"]],
    [["--minutes", "0"]],
    [["--servers", "0"]],
    [["--servers", "1.5"]],
    [["--url", "https://user@example.com"]],
    [["--url", "https://example.com/?a=b"]],
    [["--baseline-update"]],
    [["--read-only"]],
    [["word"]],
  ])("%j", (words) => expect(() => readSettings(words, { API_KEY: secret })).toThrow(UsageError));
});

test("--help describes every option and every credential", async () => {
  const { code, output } = await conformance(["--help"], {});
  expect(code).toBe(0);
  for (const word of [
    "--url",
    "--profile",
    "--depth",
    "--length-unit",
    "--seed",
    "--only",
    "--report",
    "--har",
    "--shard",
    "--seconds",
    "--minutes",
    "--servers",
    "--list",
    "--baseline",
    "--corpus",
    "--read-only",
    "--may-disturb-alerts",
    "--state",
  ])
    expect(output).toContain(word);
  for (const word of [
    "API_KEY",
    "SECOND_APPLICATION_API_KEY",
    "READ_API_KEY",
    "OTHER_API_KEY",
    "QUIET_API_KEY",
    "OVERLAY_KEY",
    "OAUTH_CLIENT_ID",
  ])
    expect(output).toContain(word);
});

test("--list prints the rules and sends no request", async () => {
  const { code, output } = await conformance(["--list"], {});
  expect(code).toBe(0);
  expect(output).toContain(
    "create-donation > amount > amount of 0 or less or above 1000000 is refused with out_of_range (interface 2.1)\n",
  );
  expect(output).toContain("derived/credentials > scopes > getDonation lets a credential with its scopes through\n");
});

test("API_URL, SEED and DEPTH of the environment are used when the command line has no such option", () => {
  const env = { API_URL: "http://localhost:1/base/", API_KEY: secret, SEED: "5:1:0", DEPTH: "quick" };
  expect(readSettings([], env)).toMatchObject({ url: "http://localhost:1/base", seed: 5, path: "1:0", depth: "quick" });
  expect(readSettings(["--url", "http://localhost:2", "--seed", "6"], env)).toMatchObject({
    url: "http://localhost:2",
    seed: 6,
    path: null,
  });
});

test("--only takes literal text, or a regular expression between slashes", () => {
  expect(toPattern("amount > of 0 (interface 2.1)").test("amount of 0 (interface 2.1)")).toBe(true);
  expect(toPattern("a.c").test("abc")).toBe(false);
  expect(toPattern("/a.c/").test("xABCx")).toBe(true);
});
