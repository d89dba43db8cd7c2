// What every command shares: what it works with, how it is declared, and how values of options are read.

import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { Knex } from "knex";
import { parseInstant } from "../base/instant.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Sealer } from "../db/secrets.ts";
import { allScopes, isDateTime } from "../http/contract/published.ts";
import type { Scope } from "../http/operations.ts";

export type CommandDeps = { database: Database; knex: Knex; brand: string; baseUrl: string; sealer: Sealer; erasureJournal: string };

type Rules<Given extends unknown[], Result> = Readonly<{
  /** The command leaves the schema as it is, or makes it itself; for others it is brought up to date. */
  keepsSchema?: true;
  /** Runs before the database is opened, and may refuse what needs none. An embedded one would be made by that. */
  check?: (config: Config, ...given: Given) => Promise<void>;
  /** Whether this result is printed and the command fails all the same. */
  isFailure?: (result: Result) => boolean;
}>;

/**
 * Makes the action of a command, which gets the positional arguments and then the options. A result that is a string is printed as it is,
 * undefined is not, anything else as JSON.
 */
export type Does = <Given extends unknown[], Result>(
  run: (deps: CommandDeps, ...given: Given) => Promise<Result>,
  rules?: Rules<Given, Result>,
) => (...given: Given) => void;

/** Adds nouns and their commands to the program. */
export type AddCommands = (program: Command, does: Does) => void;

/** A command of a noun about one streamer. */
export const streamerCommand = <Usage extends string>(noun: Command, usage: Usage, description: string) =>
  noun.command(usage).description(description).requiredOption("--streamer <handle>");

/** Adds a value to those before it, for an option that may be repeated. Commander's own such options take positional arguments behind them, too. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** Reads space-separated scopes. */
export function readScopes(text: string): Scope[] {
  const named = [...new Set(text.split(/\s+/).filter(Boolean))];
  if (named.length === 0) throw new InvalidArgumentError(`It must name at least one of ${allScopes.join(", ")}.`);
  return named.map((name) => allScopes.find((scope) => scope === name) ?? refuse(`"${name}" is none of ${allScopes.join(", ")}.`));
}

/** Reads a date-time as the contract has it: with an offset, of a day that exists. */
export function readDateTime(text: string): Date {
  if (!isDateTime(text)) throw new InvalidArgumentError("It must be a date-time such as 2027-01-01T00:00:00Z.");
  return new Date(parseInstant(text).ms);
}

function refuse(rule: string): never {
  throw new InvalidArgumentError(rule);
}
