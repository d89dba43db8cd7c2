// Neighbours of IEEE doubles, and amounts.

import fc from "fast-check";

import { maxAmount } from "../contract/interface.ts";
import { target } from "./target.ts";

const bits = (value: number): bigint => new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n;
const fromBits = (pattern: bigint): number => new Float64Array(new BigUint64Array([pattern]).buffer)[0] ?? 0;

/** The next double above a positive one. */
export const nextUp = (value: number): number => fromBits(bits(value) + 1n);

/** The next double below a positive one. */
export const nextDown = (value: number): number => fromBits(bits(value) - 1n);

/** The smallest double above 0. */
export const tiniest = fromBits(1n);

/** Amounts that interface 2.1 allows, with the edges frequent. Of a server of someone else they are small: other rules try its bounds. */
export const amounts: fc.Arbitrary<number> = fc
  .oneof(
    fc.constantFrom(tiniest, 0.01, 1, nextDown(1), 0.1 + 0.2, 123.45, nextDown(maxAmount), maxAmount),
    fc.integer({ min: 1, max: maxAmount * 100 }).map((satang) => satang / 100),
    fc.double({ min: 0, minExcluded: true, max: maxAmount, noNaN: true }),
  )
  .map((amount) => (target().foreign && amount > 100 ? amount / maxAmount : amount));

/** Amounts that it refuses, with the edges frequent. */
export const wrongAmounts: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -tiniest, nextUp(maxAmount), maxAmount + 0.01, maxAmount + 1, -1, -maxAmount, Number.MAX_VALUE),
  fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: maxAmount, minExcluded: true, noNaN: true, noDefaultInfinity: true }),
);
