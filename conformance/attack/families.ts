// The list of attacks. Families that are alike share a file of families/.

import type { Attack } from "./attack.ts";
import { costlyFiles } from "./families/costly-files.ts";
import { costlyHosts } from "./families/costly-hosts.ts";
import { pipelinedRequests, sharedTurns, slowLines } from "./families/costly-requests.ts";
import { costlySettings } from "./families/costly-settings.ts";
import { guessedCredentials, tenancy } from "./families/credentials.ts";
import { hostileTexts, unusualTargets } from "./families/hostile-texts.ts";
import { malformedRequests } from "./families/malformed-requests.ts";
import { eventFloods, stalledReaders } from "./families/streams.ts";
import { stalledBodies, truncatedBodies, uploads } from "./families/unfinished-bodies.ts";

/** All attacks by the name of their family. A new family is in a file of `families/`, and a line here. */
export const families: Readonly<Record<string, readonly Attack[]>> = {
  "event-floods": eventFloods, // first: others use up the rate limit of its credential
  "truncated-bodies": truncatedBodies,
  "stalled-bodies": stalledBodies,
  uploads,
  "slow-lines": slowLines,
  "stalled-readers": stalledReaders,
  "malformed-requests": malformedRequests,
  "pipelined-requests": pipelinedRequests,
  "shared-turns": sharedTurns,
  "unusual-targets": unusualTargets,
  tenancy,
  "hostile-texts": hostileTexts,
  "costly-settings": costlySettings,
  "costly-files": costlyFiles,
  "costly-hosts": costlyHosts,
  "guessed-credentials": guessedCredentials,
};
