// Finds packages that package-lock.json does not pin by the hash of their archive. npm installs those without verification. Pure.

type LockFile = { packages: Record<string, { integrity?: string; link?: boolean }> };

/** Returns the paths of the packages whose entry has no `integrity`. The entry "" is the project itself. */
export function unpinnedPackages({ packages }: LockFile): string[] {
  return Object.entries(packages)
    .filter(([place, { integrity, link }]) => place !== "" && !link && !integrity)
    .map(([place]) => place);
}
