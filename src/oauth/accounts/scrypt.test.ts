import { scryptSync } from "node:crypto";
import { expect, test } from "vitest";
import { currentParameters, deriveHash } from "./passwords.ts";

const cheap = { N: 1024, r: 8, p: 1 };

test("deriveHash returns the hash that scrypt returns", async () => {
  const salt = Buffer.from("NaCl");
  expect(await deriveHash("password", salt, cheap)).toEqual(scryptSync("password", salt, 32, cheap));
});

test("the current scrypt parameters cost at least what OWASP recommends: N = 2^15, r = 8, p = 3", async () => {
  const { N, r, p } = currentParameters;
  expect(N * r * p).toBeGreaterThanOrEqual(2 ** 15 * 8 * 3);
  expect(await deriveHash("password", Buffer.from("NaCl"), currentParameters)).toHaveLength(32);
});
