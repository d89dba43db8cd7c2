// Reads the documents that spec/ compiles to, and prepares the contract for its validators.

import { readFileSync } from "node:fs";

/** The contract as OpenAPI 3.1. Each call returns a new object, which the caller may change. */
export function readContract() {
  return readGenerated("openapi.json");
}

export const generatedFolder = new URL("../../../generated/", import.meta.url);

/** A file of generated/, by its name. */
export function readGenerated(name: "openapi.json" | "openapi-3.2.json" | "asyncapi.json") {
  return JSON.parse(readFileSync(new URL(name, generatedFolder), "utf8"));
}

// OpenAPI 3.1 lets a reference have siblings, `{ "$ref": …, "default": 20 }`, and the contract's defaults are such siblings.
// openapi-backend's dereferencing drops them, so references are resolved before it sees the document.

type Node = Record<string, unknown>;

/** The document with every local reference replaced by its target, siblings of the reference winning. References must not form a cycle. */
export function resolveReferences<Document extends object>(document: Document): Document {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref } = value as Node;
    const resolved: Node = typeof $ref === "string" ? (resolve(targetOf(document, $ref)) as Node) : {}; // a copy of its own
    for (const name of Object.keys(value)) if (name !== "$ref" || typeof $ref !== "string") resolved[name] = resolve((value as Node)[name]);
    return resolved;
  };
  return resolve(document) as Document;
}

function targetOf(document: object, reference: string): unknown {
  const names = reference
    .replace(/^#\//, "")
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const target = names.reduce<unknown>((node, name) => (node as Node | undefined)?.[name], document);
  if (target === undefined) throw new Error(`the contract has no ${reference}`);
  return target;
}

type Body = { content?: Record<string, { schema?: Schema }> };
type Schema = { properties?: Record<string, Schema>; items?: unknown; "x-validated-per-item"?: boolean };
type Paths = Record<string, Record<string, { requestBody?: Body }>>;

/**
 * The document, in which the validators of request bodies accept any item of a list with `x-validated-per-item`: its handler validates the items
 * one by one, so that a faulty item does not refuse the others. References must be resolved. The document is changed in place.
 */
export function acceptAnyItem<Document extends { paths: object }>(document: Document): Document {
  for (const methods of Object.values(document.paths as Paths))
    for (const { requestBody } of Object.values(methods))
      for (const { schema } of Object.values(requestBody?.content ?? {})) if (schema) openItems(schema);
  return document;
}

function openItems({ properties = {} }: Schema): void {
  for (const list of Object.values(properties)) if (list["x-validated-per-item"]) delete list.items;
}
