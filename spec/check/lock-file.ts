// Part of `make check`: every package of both package-lock.json is pinned by the hash of its archive. npm installs others without verification.

import { readFile } from "node:fs/promises";
import { checkout } from "../../conformance/suite/contract/sources.ts";

type LockFile = { packages: Record<string, { integrity?: string; link?: boolean }> };

/** Returns the paths of the packages whose entry has no `integrity`. The entry "" is the project itself. */
export function unpinnedPackages({ packages }: LockFile): string[] {
  return Object.entries(packages)
    .filter(([place, { integrity, link }]) => place !== "" && !link && !integrity)
    .map(([place]) => place);
}

if (import.meta.main) {
  const files = ["package-lock.json", "deploy/node/package-lock.json"];
  const found = await Promise.all(
    files.map(async (file) =>
      unpinnedPackages(JSON.parse(await readFile(`${checkout}/${file}`, "utf8"))).map((place) => `${file}: ${place}`),
    ),
  );
  const places = found.flat();
  for (const place of places) console.error(`${place} has no "integrity"`);
  if (places.length > 0) {
    console.error(
      `${places.length} package(s) are not pinned by the hash of their archive. Delete node_modules and these entries, run` +
        " npm install --package-lock-only, and check with git diff that no version has changed.",
    );
    process.exit(1);
  }
}
