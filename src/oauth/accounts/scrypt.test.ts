import { scryptSync } from "node:crypto";
import { expect, test } from "vitest";
import { currentParameters, deriveHash } from "./scrypt.ts";

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

test("two scrypt calls run and twenty wait, and a further one is refused with unavailable", async () => {
  const tries = Array.from({ length: 30 }, () => deriveHash("password", Buffer.from("NaCl"), cheap));
  const outcomes = await Promise.allSettled(tries);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(22);
  for (const outcome of outcomes.slice(22)) expect(outcome).toMatchObject({ reason: { code: "unavailable" } });
  await expect(deriveHash("password", Buffer.from("NaCl"), cheap)).resolves.toHaveLength(32);
});

test("a scrypt call that fails makes room for the next one", async () => {
  for (let i = 0; i < 5; i += 1) await expect(deriveHash("password", Buffer.from("NaCl"), { N: 3, r: 8, p: 1 })).rejects.toThrow();
  await expect(deriveHash("password", Buffer.from("NaCl"), cheap)).resolves.toHaveLength(32);
});
