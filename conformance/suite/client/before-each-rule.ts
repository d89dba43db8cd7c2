// Loaded by vitest before each rule file: prepares its rules.

import { prepareRules } from "./prepare-rules.ts";

// vitest runs this module before every rule file.
prepareRules();
