// Numbers in words, for reports.

import contract from "../../../generated/openapi.json" with { type: "json" };
import project from "../../../package.json" with { type: "json" };

export const count = (value: number): string => value.toLocaleString("en");

export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

// The versions that every report names.

/** The versions of the contract and of the suite. */
export const versions = { contract: contract.info.version, suite: project.version };
