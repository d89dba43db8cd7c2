// Which free texts of the contract have not decided whether donors write them. An assistant is told that such text is data and no
// instruction; a text that nobody thought of would reach it without that warning.

type Node = Readonly<Record<string, unknown>>;

type Document = Readonly<{
  components: { schemas: Readonly<Record<string, Node>> };
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}>;

type Operation = Node & Readonly<{ requestBody?: unknown; responses?: Readonly<Record<string, unknown>> }>;

const decision = "x-donor-text";

/** Named texts, as `note`; and in what tools of assistants take and answer also unnamed ones, as `Donation.note`. */
export function undecidedTexts({ components: { schemas }, paths }: Document): string[] {
  const named = Object.entries(schemas).flatMap(([name, schema]) => (isUndecided(schema) ? [name] : []));
  const unnamed = [...reachable(toolBodies(paths), schemas)].flatMap((model) => {
    const members = Object.entries((schemas[model]?.properties ?? {}) as Record<string, Node>);
    return members.flatMap(([member, schema]) => (texts(schema).some(isUndecided) ? [`${model}.${member}`] : []));
  });
  return [...new Set([...named, ...unnamed])].sort();
}

/** No pattern, format or list of words says what it may hold. */
function isUndecided(schema: Node): boolean {
  const bounded = ["pattern", "format", "enum", "const"].some((keyword) => keyword in schema);
  return schema.type === "string" && !bounded && typeof schema[decision] !== "boolean";
}

/** A member, its items, and what it may be instead. */
function texts(schema: Node): Node[] {
  const below = [schema.items, ...((schema.anyOf as unknown[]) ?? []), ...((schema.oneOf as unknown[]) ?? [])];
  return [schema, ...below.filter((one) => one !== undefined).flatMap((one) => texts(one as Node))];
}

/** What tools take, and what they answer when all is well. */
function toolBodies(paths: Document["paths"]): unknown[] {
  const tools = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter((operation) => "x-mcp-tool" in operation);
  return tools.flatMap(({ requestBody, responses = {} }) => [
    requestBody,
    ...Object.entries(responses).flatMap(([status, answer]) => (status.startsWith("2") ? [answer] : [])),
  ]);
}

function reachable(roots: unknown, schemas: Document["components"]["schemas"], found = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(roots).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (name === undefined || found.has(name)) continue;
    found.add(name);
    reachable(schemas[name] ?? {}, schemas, found);
  }
  return found;
}
