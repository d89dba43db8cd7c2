// The versions that every report names.

import contract from "../../../generated/openapi.json" with { type: "json" };
import project from "../../../package.json" with { type: "json" };

/** The versions of the contract and of the suite. */
export const versions = { contract: contract.info.version, suite: project.version };
