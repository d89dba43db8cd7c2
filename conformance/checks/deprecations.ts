// An operation that is deprecated says since when and until when it answers, and clients have a year to leave it. Pure.

export type Deprecation = { since: string; sunset: string; instead?: string };
export type Deprecated = { operationId: string; deprecated?: boolean; "x-deprecation"?: Deprecation };
type Contract = { paths: Record<string, Record<string, Deprecated>> };

const example = '@extension("x-deprecation", #{ since: "2026-11-01", sunset: "2027-11-01", instead: "otherOperation" })';

/** Every deprecation that is not as it must be, in words. */
export function deprecationFaults(contract: object): string[] {
  const operations = operationsOf(contract);
  const names = operations.map(({ operationId }) => operationId);
  return operations.flatMap((operation) => faultsOf(operation, names).map((fault) => `${operation.operationId} ${fault}`));
}

/** The deprecated operations of a contract. */
export function deprecatedOperations(contract: object): (Deprecated & { "x-deprecation": Deprecation })[] {
  return operationsOf(contract).filter((operation) => operation["x-deprecation"]) as ReturnType<typeof deprecatedOperations>;
}

export function operationsOf(contract: object): Deprecated[] {
  return Object.values((contract as Contract).paths).flatMap((methods) => Object.values(methods).filter(({ operationId }) => operationId));
}

/** The same day a year later. */
export function yearAfter(day: string): string {
  const date = new Date(day);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.toISOString().slice(0, 10);
}

function faultsOf({ deprecated, "x-deprecation": deprecation }: Deprecated, names: readonly string[]): string[] {
  if (!deprecation) return deprecated ? [`is deprecated and does not say since when and until when it answers: add ${example}`] : [];
  if (!deprecated) return ['has x-deprecation, but is not deprecated: add #deprecated "Use …"'];
  const { since, sunset, instead, ...others } = deprecation;
  const noDays = Object.entries({ since, sunset }).filter(([, day]) => !isDay(day));
  if (noDays.length > 0) return noDays.map(([name, day]) => `x-deprecation: ${name} must be a day such as 2026-11-01, not ${day}`);
  return [
    ...Object.keys(others).map((name) => `x-deprecation: there is no member ${name}`),
    ...(sunset < yearAfter(since)
      ? [`x-deprecation: ends on ${sunset}, less than a year after ${since}: ${yearAfter(since)} or later`]
      : []),
    ...(instead !== undefined && !names.includes(instead)
      ? [`x-deprecation: instead must be an operation, and there is no ${instead}`]
      : []),
  ];
}

function isDay(text: unknown): boolean {
  if (typeof text !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
