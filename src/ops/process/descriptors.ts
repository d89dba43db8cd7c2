// Checks at the start how many files and connections the process may open.

import { leastDescriptors, maxConnections, maxDescriptors, usualConnections } from "../../http/server/server-limits.ts";

/** Says so when the process serves fewer connections than usual. Throws when it may open too few files to serve. */
export function requireDescriptors(warn: (figures: object, line: string) => void, descriptors = maxDescriptors()): void {
  if (descriptors < leastDescriptors)
    throw new Error(`this process may open ${descriptors} files and connections (ulimit -n), and needs ${leastDescriptors} at least`);
  const connections = maxConnections(descriptors);
  if (connections < usualConnections)
    warn(
      { descriptors, connections },
      `${connections} clients can be connected to each process at once instead of ${usualConnections}, because it may open ${descriptors} files and connections only (ulimit -n)`,
    );
}
