// The inputs of an operation: its parameters, headers and members of the body.

import { contract, type Media, type Operation, type Schema } from "./contract.ts";
import { pointerTo, type Shape, shapeOf } from "./shape.ts";

/** All inputs of an operation: its parameters and its body. */
export type Inputs = {
  operation: Operation;
  parameters: Input[];
  body: Body | null;
  /** Whether unknown and repeated query parameters are refused; OAuth ignores unknown ones (RFC 6749 3.1). */
  parametersAreSealed: boolean;
};

type Body = {
  mediaType: string;
  /** Whether it is a file, which has no members. */
  isFile: boolean;
  required: boolean;
  shape: Shape;
  example: unknown;
  /** A member without a value counts as left out (RFC 6749 3.1, 3.2). */
  emptyIsAbsent: boolean;
};

export type Input = { name: string; in: "query" | "path" | "header"; required: boolean; shape: Shape };

/** A place that holds a value: a parameter, the whole body, a member of it or the first item of a list in it. */
export type Field = {
  in: Input["in"] | "body";
  /** Of a parameter. */
  name: string;
  /** Of a member of the body, from the root. */
  path: (string | number)[];
  /** Parameter name or JSON pointer, as faults name it. */
  label: string;
  shape: Shape;
  /** Whether its absence breaks a rule. */
  required: boolean;
};

/** Parameters that are required although no schema can state it: q is required without a cursor. */
const neededInProse: Record<string, string[]> = { searchDonations: ["q"] };

/** Media types for which bodies can be generated. */
const readable = ["application/json", "application/x-www-form-urlencoded"];

export function inputsOf(operation: Operation, document: Schema = contract, mediaType?: string): Inputs {
  const { content = {}, required = false } = operation.requestBody ?? {};
  const type = mediaType ?? readable.find((one) => content[one]) ?? Object.keys(content).find((one) => describesFile(content[one]));
  const media = type === undefined ? undefined : itemOf(content[type]);
  const example = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  return {
    operation,
    parameters: operation.parameters.map((one) => ({
      name: one.name,
      in: one.in,
      required: one.required === true || (neededInProse[operation.id] ?? []).includes(one.name),
      shape: shapeOf({ ...one.schema, ...exampleOf(one) }, document),
    })),
    body:
      type && media
        ? {
            mediaType: type,
            isFile: describesFile(media),
            required,
            shape: shapeOf(describesFile(media) ? {} : media.schema, document), // the server alone validates files
            example,
            emptyIsAbsent: operation.path.startsWith("/oauth/"),
          }
        : null,
    parametersAreSealed: operation.path.startsWith("/api/"),
  };
}

/** Of a stream of lines one line, whose schema is its `contentSchema`. */
function itemOf(media: Media | undefined): Media | undefined {
  if (!media || !("contentSchema" in media.schema)) return media;
  return { schema: media.schema.contentSchema as Schema, example: JSON.parse(String(media.example)) };
}

/** The contract describes a file by its media type alone. */
export const describesFile = (media: Media | undefined): boolean => media !== undefined && "contentMediaType" in media.schema;

const exampleOf = (parameter: object): Schema => ("example" in parameter ? { example: parameter.example } : {});

/** Every place of the request, the members of nested objects and items among them. */
export function fieldsOf({ parameters, body }: Inputs): Field[] {
  const ofParameters = parameters.flatMap(({ in: where, name, shape, required }): Field[] => {
    const own: Field = { in: where, name, path: [], label: name, shape, required };
    return shape.items ? [own, { ...own, path: [0], shape: shape.items, required: false }] : [own];
  });
  return [...ofParameters, ...(body && !body.isFile ? fieldsBelow(body.shape, [], body.required) : [])];
}

function fieldsBelow(shape: Shape, path: Field["path"], required: boolean): Field[] {
  const label = path.reduce<string>(pointerTo, "");
  const own: Field = { in: "body", name: "", path, label, shape, required };
  const alternatives = shape.union.length > 0 ? shape.union : [shape];
  return [
    own,
    ...alternatives.flatMap((one) => [
      ...Object.entries(one.properties).flatMap(([name, member]) => fieldsBelow(member, [...path, name], one.required.includes(name))),
      ...(one.items ? fieldsBelow(one.items, [...path, 0], false) : []),
      ...(one.additional ? fieldsBelow(one.additional, [...path, "other"], false) : []),
    ]),
  ];
}
