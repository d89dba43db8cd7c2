// The resources of the contract: what one request creates and another deletes by its id.

import { type Operation, operations, operationsIn, resolved, type Schema } from "./contract.ts";

/** An id of the right form that nothing has. */
export const unknownId = "01932f6e-8a00-7000-8000-3f1e5a7c9b21";

/** The path with that id for each of its parameters. */
export const filled = (path: string): string => path.replace(/\{[^}]*\}/g, unknownId);

type Resource = Readonly<{
  /** Path of all of them, such as `/api/v1/webhooks`. */
  path: string;
  /** What one of them is called, such as `webhook`. */
  name: string;
  create: Operation;
  /** Null where no operation reads one of them. */
  read: Operation | null;
  remove: Operation;
}>;

export const resources: readonly Resource[] = resourcesIn(operations);

function resourcesIn(all: readonly Operation[]): Resource[] {
  return all.flatMap((create) => {
    const { method, path } = create;
    const byId = all.filter((one) => one.path.startsWith(`${path}/{`) && one.path.endsWith("}"));
    const remove = byId.find((one) => one.method === "DELETE");
    if (method !== "POST" || !remove) return [];
    const name = path.replace(/^.*\//, "").replaceAll("-", " ").replace(/s$/, "");
    return [{ path, name, create, remove, read: byId.find((one) => one.method === "GET") ?? null }];
  });
}

/** The resources that can be created, read and deleted: conformance/derived/resources.test.ts has rules for these three operations. */
export type ReadableResource = Resource & { read: Operation };

export const readableResources = readable(resources);

export const readableResourcesIn = (document: Schema): ReadableResource[] => readable(resourcesIn(operationsIn(document)));

function readable(all: readonly Resource[]): ReadableResource[] {
  return all.filter((one): one is ReadableResource => one.read !== null);
}

/** Whether the operation creates, reads or deletes a resource that can be read. */
export const isOfReadableResource = ({ id }: Pick<Operation, "id">): boolean =>
  readableResources.some(({ create, read, remove }) => [create, read, remove].some((one) => one.id === id));

/** The body of the contract's example. */
export function exampleBody({ id, requestBody }: Operation): unknown {
  const { example } = requestBody?.content["application/json"] ?? {};
  if (example === undefined) throw new Error(`${id} has no example of a body in JSON`);
  return example;
}

/** The code of the problem that an operation answers with 404. */
export function notFoundCode({ id, responses }: Operation, document?: Schema): string {
  const { content = {} } = responses["404"] ?? {};
  const [media] = Object.values(content);
  const { properties = {} } = resolved<Schema>(media?.schema ?? {}, document) as { properties?: { code?: { enum?: string[] } } };
  const [code] = properties.code?.enum ?? [];
  if (code === undefined) throw new Error(`${id} has no code for the id of nothing`);
  return code;
}
