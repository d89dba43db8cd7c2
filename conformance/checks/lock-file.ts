// package-lock.json pins every package by the hash of its archive: without one, npm installs whatever the registry answers. Pure.

export type LockFile = { packages: Record<string, { integrity?: string; link?: boolean }> };

/** Places of the packages whose entry has no `integrity`. The first entry, "", is the project itself. */
export function unpinned({ packages }: LockFile): string[] {
  return Object.entries(packages)
    .filter(([place, { integrity, link }]) => place !== "" && !link && !integrity)
    .map(([place]) => place);
}
