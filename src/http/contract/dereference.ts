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
