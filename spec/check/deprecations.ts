// Checks that each deprecated operation names the first day of its deprecation and its last day, at least a year apart. Pure.

type Deprecation = { since: string; sunset: string; instead?: string };
type Deprecated = { operationId: string; deprecated?: boolean; "x-deprecation"?: Deprecation };
type Contract = { paths: Record<string, Record<string, Deprecated>> };

const example = '@extension("x-deprecation", #{ since: "2026-11-01", sunset: "2027-11-01", instead: "otherOperation" })';

/** Returns a message for every fault in the deprecations of the contract. */
export function deprecationFaults(contract: object): string[] {
  const operations = operationsOf(contract);
  const names = operations.map(({ operationId }) => operationId);
  return operations.flatMap((operation) => faultsOf(operation, names).map((fault) => `${operation.operationId} ${fault}`));
}

/** Returns the operations of the contract that have `x-deprecation`. */
export function deprecatedOperations(contract: object): (Deprecated & { "x-deprecation": Deprecation })[] {
  return operationsOf(contract).filter((operation) => operation["x-deprecation"]) as ReturnType<typeof deprecatedOperations>;
}

export function operationsOf(contract: object): Deprecated[] {
  return Object.values((contract as Contract).paths).flatMap((methods) => Object.values(methods).filter(({ operationId }) => operationId));
}

/** Returns the same day of the next year; 29 February becomes 1 March. */
export function oneYearAfter(day: string): string {
  const date = new Date(day);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.toISOString().slice(0, 10);
}

function faultsOf({ deprecated, "x-deprecation": deprecation }: Deprecated, names: readonly string[]): string[] {
  if (!deprecation) return deprecated ? [`is deprecated without dates: add ${example}`] : [];
  if (!deprecated) return ['has x-deprecation but is not marked as deprecated: add #deprecated "Use …"'];
  const { since, sunset, instead, ...others } = deprecation;
  const noDays = Object.entries({ since, sunset }).filter(([, day]) => !isDay(day));
  if (noDays.length > 0) return noDays.map(([name, day]) => `x-deprecation: ${name} must be a day such as 2026-11-01, not ${day}`);
  return [
    ...Object.keys(others).map((name) => `x-deprecation: unknown member ${name}`),
    ...(sunset < oneYearAfter(since)
      ? [`x-deprecation: sunset ${sunset} is less than a year after since ${since}: it must be ${oneYearAfter(since)} or later`]
      : []),
    ...(instead !== undefined && !names.includes(instead)
      ? [`x-deprecation: instead must name an operation of the contract, and ${instead} is none`]
      : []),
  ];
}

function isDay(text: unknown): boolean {
  if (typeof text !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
