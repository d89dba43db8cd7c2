import type { Attack } from "./arena.ts";
import { guessedCredentials } from "./families/guessed-credentials.ts";
import { heldBodies } from "./families/held-bodies.ts";
import { malformed } from "./families/malformed.ts";
import { nastyTexts } from "./families/nasty-texts.ts";
import { oddTargets } from "./families/odd-targets.ts";
import { stalledReaders } from "./families/stalled-readers.ts";
import { tenancy } from "./families/tenancy.ts";
import { unfinishedBodies } from "./families/unfinished-bodies.ts";

/** By name. A new family is a file and a line here. */
export const families: Readonly<Record<string, readonly Attack[]>> = {
  "unfinished-bodies": unfinishedBodies,
  "held-bodies": heldBodies,
  "stalled-readers": stalledReaders,
  malformed,
  "odd-targets": oddTargets,
  tenancy,
  "nasty-texts": nastyTexts,
  "guessed-credentials": guessedCredentials,
};
