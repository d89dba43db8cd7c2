// Reads the values of single options. Each function throws `UsageError` with the option's name and its rule.

import { type LengthUnit, lengthUnits } from "../values/target.ts";
import { toPattern } from "./rule-files.ts";
import type { Profile } from "./settings.ts";
import { parseShard, type Shard } from "./shard.ts";
import { UsageError } from "./usage-error.ts";

/** Runs `read`; an error of any kind becomes wrong usage. */
export function toUsageError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export function parseChoice<T extends string>(option: string, values: readonly T[], given: string): T {
  const found = values.find((value) => value === given);
  if (!found) throw new UsageError(`${option} must be ${values.join(" or ")}, not "${given}"`);
  return found;
}

export function parseOnly(text: string | undefined): string | null {
  if (!text) return null;
  try {
    toPattern(text);
  } catch (error) {
    throw new UsageError(`--only is no valid regular expression: ${error instanceof Error ? error.message : error}`);
  }
  return text;
}

/** The contract counts code points; the interface document does not name its unit. */
export function parseLengthUnit(profile: Profile, given: string | undefined): LengthUnit {
  const unit = parseChoice("--length-unit", lengthUnits, given ?? (profile === "contract" ? "code-points" : "all"));
  if (profile === "contract" && unit !== "code-points")
    throw new UsageError("--length-unit is for --profile interface: the contract counts code points");
  return unit;
}

/** Limit of a quick run; null: none. A run with a seed has none, so that it tries the same again. */
export function parseSeconds(text: string | undefined, seed: string | undefined): number | null {
  if (text === undefined) return seed ? null : 15;
  if (!(Number(text) >= 0) || text.trim() === "") throw new UsageError(`--seconds must be a number from 0 on, not "${text}"`);
  return Number(text) || null;
}

export function parseShardOption(text: string): Shard {
  const shard = parseShard(text);
  if (!shard) throw new UsageError(`--shard must be a part and the number of parts, such as 1/4, not "${text}"`);
  return shard;
}

export function parseUrl(url: string | undefined): string | undefined {
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new UsageError(`"${url}" is not an http or https address`);
  const { search, hash, username } = new URL(url);
  if (search || hash || username) throw new UsageError("the base address must have no user, query or fragment");
  return url.replace(/\/+$/, "");
}

/** A number above 0. */
export function parsePositive(option: string, text: string | undefined, usual: number): number {
  const value = Number(text ?? usual);
  if (!(value > 0)) throw new UsageError(`${option} must be a number above 0, not "${text}"`);
  return value;
}

/** A whole number above 0. */
export function parseCount(option: string, text: string | undefined, usual: number): number {
  const value = Number(text ?? usual);
  if (!Number.isInteger(value) || value < 1) throw new UsageError(`${option} must be a whole number above 0, not "${text}"`);
  return value;
}
