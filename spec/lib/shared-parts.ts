// Moves what TypeSpec repeats in every operation into components: headers, and the responses that refuse a request.

import { type Document, operationsOf, type Response } from "./complete.ts";

type Use<Part> = { name: string; part: Part; replace: (reference: { $ref: string }) => void };
type Kind = "headers" | "responses";

/** Changes the document in place. */
export function shareParts(document: Document): void {
  share(document, "headers", headersOf(document));
  share(document, "responses", refusalsOf(document));
}

/** The form of a part that is used most becomes the component of its name. Rarer forms stay where they are. */
function share<Part extends object>({ components }: Document, kind: Kind, uses: readonly Use<Part>[]): void {
  const shared: Record<string, Part> = {};
  for (const [name, ofName] of [...Map.groupBy(uses, (use) => use.name)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [most = []] = [...Map.groupBy(ofName, ({ part }) => formOf(part)).values()].sort((a, b) => b.length - a.length);
    if (most.length < 2) continue;
    shared[name] = (most[0] as Use<Part>).part;
    for (const { replace } of most) replace({ $ref: `#/components/${kind}/${name}` });
  }
  Object.assign(components, { [kind]: shared });
}

/** The path in an example is that of one operation. */
function formOf(part: object): string {
  return JSON.stringify(part, (key, value) => (key === "instance" && typeof value === "string" ? "" : value));
}

function headersOf(document: Document): Use<object>[] {
  return operationsOf(document)
    .flatMap(({ operation }) => Object.values(operation.responses))
    .flatMap(({ headers = {} }) =>
      Object.entries(headers).map(([name, part]) => ({
        name,
        part,
        replace: (reference) => Object.assign(headers, { [name]: reference }),
      })),
    );
}

/** Problems whose schema has a name: UnauthorizedProblem is the body of the response Unauthorized. */
function refusalsOf(document: Document): Use<Response>[] {
  return operationsOf(document).flatMap(({ operation: { responses } }) =>
    Object.entries(responses).flatMap(([status, part]) => {
      const name = problemOf(part);
      return name ? [{ name, part, replace: (reference) => Object.assign(responses, { [status]: reference }) }] : [];
    }),
  );
}

function problemOf({ content = {} }: Response): string | undefined {
  const [, name] = /^#\/components\/schemas\/(\w+)Problem$/.exec(String(Object.values(content)[0]?.schema?.$ref)) ?? [];
  return name;
}
