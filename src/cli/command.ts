// The shape of every command: its arguments, how they are read and checked, and what it prints.

import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { parseInstant } from "../base/instant.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Sealer } from "../db/secrets.ts";
import { isDateTime, readContract } from "../http/contract/published.ts";
import type { Scope } from "../http/operations.ts";

export type CommandDeps = { database: Database; knex: Knex; brand: string; baseUrl: string; sealer: Sealer; erasureJournal: string };

export type Command = {
  /** The usage line; its first two words are the name of the command. */
  usage: string;
  options?: Record<string, "once" | "many" | "switch">;
  positionals?: string[];
  /** The command leaves the schema as it is, or makes it itself; for others it is brought up to date. */
  keepsSchema?: true;
  /** Runs before the database is opened, and may refuse what needs none. An embedded one would be made by that. */
  check?: (input: Input, config: Config) => Promise<void>;
  /** Whether this result is printed and the command fails all the same. */
  isFailure?: (result: unknown) => boolean;
  /** A string is printed as it is, undefined is not, anything else as JSON. */
  run: (deps: CommandDeps, input: Input) => Promise<unknown>;
};

/** Options and positional arguments of a call. `require` throws an Error that names the missing option. */
export type Input = {
  get: (option: string) => string | undefined;
  require: (option: string) => string;
  all: (option: string) => string[];
  has: (option: string) => boolean;
  positional: (name: string) => string;
};

/** Reads the arguments that follow a command's name. Throws an Error with the usage of the command. */
export function readInput({ usage, options = {}, positionals = [] }: Command, args: string[]): Input {
  const parseOptions = Object.entries(options).map(([name, kind]) => [
    name,
    { type: kind === "switch" ? "boolean" : "string", multiple: kind === "many" },
  ]);
  const parsed = parseArgs({ args, options: Object.fromEntries(parseOptions), allowPositionals: true });
  if (parsed.positionals.length !== positionals.length) throw new Error(`usage: npm run --silent cli -- ${usage}`);
  const values: Record<string, unknown> = parsed.values;
  const all = (option: string) => [values[option] ?? []].flat().map(String);
  const get = (option: string) => all(option)[0];
  const requireValue = (option: string, value: string | undefined) => (value === "" ? throwMissing(option) : value);
  const throwMissing = (option: string): never => {
    throw new Error(`--${option} is missing; usage: npm run --silent cli -- ${usage}`);
  };
  return {
    get: (option) => requireValue(option, get(option)),
    all,
    has: (option) => values[option] === true,
    require: (option) => get(option) || throwMissing(option),
    positional: (name) => parsed.positionals[positionals.indexOf(name)] as string,
  };
}

/** Reads space-separated scopes. Throws an Error that names an unknown one. */
export function checkScopes(text: string): Scope[] {
  const scopes: Scope[] = readContract().components.schemas.Scope.enum;
  const named = text.split(/\s+/).filter(Boolean);
  if (named.length === 0) throw new Error(`--scopes must name at least one of ${scopes.join(", ")}`);
  return [...new Set(named.map((scope) => checkEnum("scopes", scope, scopes)))];
}

/** Returns the text as one of the allowed words. Throws an Error that names them. */
export function checkEnum<Word extends string>(option: string, text: string, allowed: readonly Word[]): Word {
  const word = allowed.find((known) => known === text);
  if (!word) throw new Error(`--${option} must be one of ${allowed.join(", ")}, not "${text}"`);
  return word;
}

/** Reads a date-time as the contract has it, with an offset. Throws an Error for any other form, and for days that do not exist. */
export function checkDateTime(option: string, text: string): Date {
  if (!isDateTime(text)) throw new Error(`--${option} must be a date-time such as 2027-01-01T00:00:00Z, not "${text}"`);
  return new Date(parseInstant(text).ms);
}
