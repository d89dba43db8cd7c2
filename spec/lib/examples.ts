// Adds an example to every request and response of every operation that has none (`@opExample`), built from the examples of its parts
// (`@example`), and for problems from the explanations of their codes (`@problem`).

import { type Document, type Media, type Operation, operationsOf, resolveReference, type Schema } from "./complete.ts";

type Place = { document: Document; path: string; operation: Operation };

/** Adds the examples of requests: of `campaignId` in a path the `id` of the model Campaign, of a body in JSON its model's. */
export function addRequestExamples(document: Document): void {
  for (const { path, operation } of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) {
      const id = parameter.in === "path" && !("example" in parameter) ? exampleId(parameter.name ?? "", document) : undefined;
      if (id !== undefined) parameter.example = id;
    }
    const json = operation.requestBody?.content?.["application/json"];
    if (json && !("example" in json || "examples" in json)) json.example = exampleOf(json.schema ?? {}, { document, path, operation });
  }
}

/** Name of the model whose `id` a parameter is: `Campaign` for `campaignId`. */
export function modelOfId(parameter: string): string {
  const [, name = ""] = /^([a-z]\w*)Id$/.exec(parameter) ?? [];
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function exampleId(parameter: string, { components }: Document): unknown {
  const [example] = (components.schemas[modelOfId(parameter)]?.examples ?? []) as { id?: unknown }[];
  return example?.id;
}

/** Adds the examples of responses. Returns the responses for which none can be built, as `getMe 200`; files need none. */
export function addExamples(document: Document): string[] {
  return operationsOf(document).flatMap(({ path, operation }) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) => {
      const [media] = Object.values(content);
      if (!media || "example" in media || "examples" in media || isFile(media)) return [];
      const example = exampleOf(media.schema ?? {}, { document, path, operation });
      if (example === undefined) return [`${operation.operationId} ${status}`];
      media.example = example;
      return [];
    }),
  );
}

function isFile({ schema = {} }: Media): boolean {
  return "contentMediaType" in schema || schema.format === "binary" || Object.keys(schema).length === 0;
}

/** Returns an example of the schema; undefined when none can be built. */
function exampleOf(reference: Schema, place: Place): unknown {
  const schema = resolveReference(reference, place.document);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if (isProblem(schema)) return problem(schema, place);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (choices) return choices.map((choice) => exampleOf(choice, place)).find((example) => example !== undefined);
  if (schema.type === "boolean") return false;
  if (schema.type === "array") return list(exampleOf((schema.items ?? {}) as Schema, place));
  return schema.type === "object" ? object(schema, place) : undefined;
}

function list(item: unknown): unknown[] | undefined {
  return item === undefined ? undefined : [item];
}

/** Builds an object from the examples of its required members. */
function object({ properties = {}, required = [] }: Schema, place: Place): object | undefined {
  const members = (required as string[]).map((name) => [name, exampleOf((properties as Record<string, Schema>)[name] ?? {}, place)]);
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members);
}

function isProblem({ properties = {} }: Schema): boolean {
  return "code" in (properties as object) && "instance" in (properties as object);
}

/** Builds a problem with the operation's path and scopes. */
function problem({ properties }: Schema, place: Place): object {
  const members = properties as Record<string, Schema>;
  const code = usualCode(members.code ?? {}, place.document);
  const { status = 0, title = "", detail = "" } = place.document["x-problems"][code] ?? {};
  return {
    type: `https://api.example.com/docs/errors#${code}`,
    title,
    status,
    detail,
    instance: pathOf(place),
    code,
    requestId: exampleOf(members.requestId ?? {}, place),
    ...(members.requiredScopes && { requiredScopes: scopesOf(place.operation) }),
    ...(members.errors && { errors: [fault(members.errors, place)] }),
  };
}

/** Codes that any operation can answer; preferred where a response has several codes. */
const usual = ["validation_failed", "method_not_allowed"];

/** Returns a usual code of the schema, else its first. */
function usualCode(schema: Schema, document: Document): string {
  const codes = [resolveReference(schema, document)].flatMap((one) => (one.enum as string[] | undefined) ?? [one.const as string]);
  return String(codes.find((code) => usual.includes(code)) ?? codes[0]);
}

/** Returns the example of a fault in the body, or in a parameter when the operation has no body. */
function fault(errors: Schema, { document, operation }: Place): unknown {
  const { examples = [] } = resolveReference(errors.items as Schema, document) as { examples?: object[] };
  return examples.find((one) => (operation.requestBody ? "pointer" : "parameter") in one);
}

function scopesOf({ security = [] }: Operation): string[] {
  return security.flatMap((schemes) => schemes.Credential ?? []);
}

function pathOf({ path, document }: Place): string {
  const id = (document.components.schemas.id?.examples as string[] | undefined)?.[0] ?? "";
  return path.replace(/\{[^}]*\}/g, id);
}
