// What the contract has and no rule of the suite names. Derived rules try the values that a contract allows, not what they do: a filter
// that is accepted and ignored, a member that is never filled and an event that never happens pass all of them.

import { globSync, readFileSync } from "node:fs";
import { contract, operationsIn, type Parameter, resolved, type Schema } from "../../conformance/suite/contract/contract.ts";
import { notFoundCode, readableResourcesIn } from "../../conformance/suite/contract/resources.ts";
import { conformanceFolder, testFilesIn } from "../../conformance/suite/contract/sources.ts";
import { membersOf } from "../../conformance/suite/models/derive/members.ts";
import { ruleFileOf } from "./operations.ts";

/** Members, as `schema.member`, and codes that no rule names, each with the reason. This list may only shrink. */
const unnamed: Record<string, string> = {
  "ResourceMetadata.resource_documentation": "an address for people (RFC 9728 2)",
  "ServerMetadata.service_documentation": "an address for people (RFC 8414 2)",
  "ServerMetadata.token_endpoint_auth_methods_supported": "the official OAuth clients read it",
  "ServerMetadata.revocation_endpoint_auth_methods_supported": "the official OAuth clients read it",
  "Speech.durationMs": "the length of the sound depends on the speech engine",
  internal_error: "no request may provoke it",
  malformed_request: "answers what is no HTTP: src/http/server tries it on raw connections",
};

type Words = {
  /** The rule file of an operation, from the project's folder. */
  ruleFile: (operationId: string) => string;
  /** Of the rules of one operation; empty where it has no file. */
  ownOf: (operationId: string) => ReadonlySet<string>;
  /** Of all rules that are written by hand, and of what they use. */
  all: ReadonlySet<string>;
};

/** Names the query parameters, members, types of events and problem codes of a contract that no rule names, one line each. */
export function unnamedIn(document: Schema = contract): string[] {
  const words = wordsOfRules();
  return [
    ...unnamedParameters(document, words),
    ...unnamedMembers(document, words.all),
    ...eventTypesOf(document).flatMap((type) =>
      unless(
        words.all.has(type),
        `The type of event ${type} is named by no rule: write in conformance/rules/events when it happens, and who sends it.`,
      ),
    ),
    ...Object.keys((document["x-problems"] ?? {}) as object)
      .filter((code) => !(code in unnamed) && !codesOfResources(document).includes(code))
      .flatMap((code) =>
        unless(words.all.has(code), `The problem code ${code} is named by no rule: write which request is answered with it.`),
      ),
  ];
}

/** Codes for an id of nothing, which conformance/derived/resources.test.ts expects as the contract names them. */
function codesOfResources(document: Schema): string[] {
  return readableResourcesIn(document).map(({ read }) => notFoundCode(read, document));
}

/** A parameter that several operations share may be tried by a rule about all of them. */
function unnamedParameters(document: Schema, { ruleFile, ownOf, all }: Words): string[] {
  const taken = operationsIn(document).flatMap(({ id, parameters }) =>
    parameters.map((one) => resolved<Parameter>(one, document)).flatMap((one) => (one.in === "query" ? [{ id, name: one.name }] : [])),
  );
  return taken.flatMap(({ id, name }) => {
    const isShared = taken.some((other) => other.name === name && other.id !== id);
    return unless(
      ownOf(id).has(name) || (isShared && all.has(name)),
      `${id} takes the parameter ${name}, which no rule names, so that a server may ignore it: write in ${ruleFile(id)} what it changes in the answer.`,
    );
  });
}

/** Members of createDonation's body are followed by conformance/derived/donation-members.test.ts without a line of their own. */
function unnamedMembers(document: Schema, all: ReadonlySet<string>): string[] {
  const followed = membersOf(document).map(({ name }) => name);
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  return Object.entries(schemas).flatMap(([schema, { properties = {} }]) =>
    Object.keys(properties as object)
      .filter((member) => !(`${schema}.${member}` in unnamed) && !followed.includes(member))
      .flatMap((member) =>
        unless(
          all.has(member),
          `${schema} has the member ${member}, which no rule names: write a rule that it is answered, or that it has an effect.`,
        ),
      ),
  );
}

function eventTypesOf(document: Schema): string[] {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, { enum?: string[] }> };
  return schemas.EventType?.enum ?? [];
}

function unless(fits: boolean, message: string): string[] {
  return fits ? [] : [message];
}

function wordsOfRules(): Words {
  const files = testFilesIn("rules");
  const ruleFile = (id: string): string => ruleFileOf(id, files);
  return {
    ruleFile,
    ownOf: (id) => wordsOf(files.filter((file) => ruleFile(id) === `conformance/${file}`)),
    all: wordsOf([...files, ...testFilesIn("derived"), ...globSync("{suite,cases}/**/*.*", { cwd: conformanceFolder })]),
  };
}

/** Words, and words with dots between them, as names of events have. */
function wordsOf(files: readonly string[]): ReadonlySet<string> {
  const texts = files.map((file) => readFileSync(`${conformanceFolder}${file}`, "utf8"));
  return new Set(texts.flatMap((text) => [...(text.match(/\w+/g) ?? []), ...(text.match(/\w+(?:\.\w+)+/g) ?? [])]));
}
