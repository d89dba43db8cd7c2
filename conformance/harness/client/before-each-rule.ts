import { prepareRules } from "./show-requests.ts";

// vitest runs this module before every rule file.
prepareRules();
