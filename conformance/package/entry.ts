#!/usr/bin/env node
// The package's program: the same command as in the project, which runs on Node 20 as well. Threads of it collect rules.

import { isMainThread } from "node:worker_threads";

// Node 20 has no Map.groupBy; every other function that the suite uses exists there.
Map.groupBy ??= <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
};

if (isMainThread) await import("../main.ts");
else await (await import("./runner.ts")).postCollectedRules();
