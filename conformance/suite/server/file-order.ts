// The order in which rule files are run: by name, except those that failed last, the slowest and the last ones.

/** Names the environment variable with the families that are run first, with commas between them. */
export const firstVariable = "NAMJAI_CONFORMANCE_FIRST";

/** The slowest files, the slowest first: several servers share the files, and a slow one that starts late would run on alone. */
const slowest = [
  "workers",
  "guides",
  "overlay-two-processes",
  "events-cuts",
  "webhook-kills",
  "events-any-order",
  "revoke-token",
  "streamer-limits",
  "event-types",
  "stream-events",
  "stream-roles",
  "client-documents",
];

/** Run last: it searches the traces that all other files leave. */
const last = ["leaks"];

const firstFamilies = (): string[] => (process.env[firstVariable] ?? "").split(",").filter(Boolean);

/** Runs these families first, after those that are first already. */
export function runFirst(families: readonly string[]): void {
  process.env[firstVariable] = [...firstFamilies(), ...families].join(",");
}

/** Sorts paths of rule files, absolute or relative to `conformance/`. */
export function inOrder(files: readonly string[]): string[] {
  const first = firstFamilies();
  return files.toSorted((a, b) => placeOf(a, first) - placeOf(b, first) || (a < b ? -1 : 1));
}

function placeOf(file: string, first: readonly string[]): number {
  const named = (family: string): boolean => file.endsWith(`/${family}.test.ts`);
  if (last.some(named)) return slowest.length + 1;
  if (first.some(named)) return first.findIndex(named) - first.length;
  const place = slowest.findIndex(named);
  return place < 0 ? slowest.length : place;
}
