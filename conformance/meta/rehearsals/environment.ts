// What every rehearsal begins with.

import { compileCache } from "../../suite/servers/serve.ts";

/** Ends the process where something that the rehearsal needs is not installed, and says what. */
export function requireInstalled(missing: string | null): void {
  if (missing === null) return;
  console.error(`not run: ${missing}`);
  process.exit(1);
}

/** The environment of an operator, without a database and without the settings of this process. */
export function operatorEnvironment(): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR)$/.test(name));
  return { ...(Object.fromEntries(inherited) as Record<string, string>), NODE_COMPILE_CACHE: compileCache };
}
