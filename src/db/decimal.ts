// Exact arithmetic on the decimals that PostgreSQL sends as text. Pure.

/** `units` times ten to the power of minus `scale`. */
export type Decimal = Readonly<{ units: bigint; scale: number }>;

export const zero: Decimal = { units: 0n, scale: 0 };

/** Reads a decimal: digits with at most one point, and an optional sign. */
export function decimal(text: string): Decimal {
  const [whole = "", fraction = ""] = text.split(".");
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

/** The same as text, with all its digits. It must not be negative. */
export function decimalText({ units, scale }: Decimal): string {
  const digits = String(units).padStart(scale + 1, "0");
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export function minus(a: Decimal, b: Decimal): Decimal {
  return plus(a, { units: -b.units, scale: b.scale });
}

export function half(a: Decimal): Decimal {
  return { units: a.units * 5n, scale: a.scale + 1 };
}

/** Positive when a is the larger one. */
export function compare(a: Decimal, b: Decimal): number {
  const { units } = minus(a, b);
  return units > 0n ? 1 : units < 0n ? -1 : 0;
}

/** The nearest JSON number. */
export function toNumber({ units, scale }: Decimal): number {
  return Number(`${units}e${-scale}`);
}

/** `a / b` rounded to two decimals, half away from zero; null when b is zero. */
export function ratio(a: Decimal, b: Decimal | number): number | null {
  const divisor = typeof b === "number" ? { units: BigInt(b), scale: 0 } : b;
  if (divisor.units === 0n) return null;
  const scale = Math.max(a.scale, divisor.scale);
  const numerator = unitsAt(a, scale) * 200n;
  const denominator = unitsAt(divisor, scale);
  const sign = numerator < 0n === denominator < 0n ? 1n : -1n;
  const hundredths = (magnitude(numerator) + magnitude(denominator)) / (2n * magnitude(denominator));
  return toNumber({ units: sign * hundredths, scale: 2 });
}

/**
 * Percentages with two decimals that add up to exactly 100, by the largest remainder; of equal remainders the first is rounded up. All are 0
 * when the total is 0.
 */
export function percentages(parts: readonly Decimal[]): number[] {
  const scale = Math.max(0, ...parts.map((part) => part.scale));
  const units = parts.map((part) => unitsAt(part, scale));
  const total = units.reduce((sum, one) => sum + one, 0n);
  if (total === 0n) return parts.map(() => 0);
  const shares = units.map((one, index) => ({ index, hundredths: (one * 10_000n) / total, remainder: (one * 10_000n) % total }));
  const missing = 10_000n - shares.reduce((sum, { hundredths }) => sum + hundredths, 0n);
  const raisedFirst = [...shares]
    .sort((a, b) => (a.remainder < b.remainder ? 1 : a.remainder > b.remainder ? -1 : a.index - b.index))
    .slice(0, Number(missing));
  const raised = new Set(raisedFirst.map(({ index }) => index));
  return shares.map(({ index, hundredths }) => toNumber({ units: hundredths + (raised.has(index) ? 1n : 0n), scale: 2 }));
}

/** The units of the same value at a higher scale. */
function unitsAt({ units, scale }: Decimal, newScale: number): bigint {
  return newScale === scale ? units : units * 10n ** BigInt(newScale - scale);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
