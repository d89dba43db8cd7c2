// The version of this server: that of package.json, which is the contract's as well.

import manifest from "../../package.json" with { type: "json" };

export const { version } = manifest;
