// Validates answers with the schemas of the contract.

import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";

import { contract, type Schema } from "./contract.ts";

/** Faults of `value` against the schema at `pointer` of the contract, in words; none when it is valid. */
type Validator = (pointer: string, value: unknown) => string[];

/** As published: what a caller may lean on. */
export const published: Validator = validator(() => contract);

/** With every object closed: what an answer may hold, and not one member more. */
export const sealed: Validator = validator(() => seal(structuredClone(contract)));

/** Reads the document when the first value is validated: that takes 0.2 s, and most processes of a run validate none. */
function validator(read: () => Schema): Validator {
  let ajv: Ajv2020 | undefined;
  // By what a schema says: of three that stand in the contract, two say what another one says.
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (pointer: string): ValidateFunction => {
    ajv ??= ajvOf(read());
    const text = JSON.stringify(schemaAt(pointer));
    const validate = compiled.get(text) ?? ajv.compile({ $ref: `contract${pointer}` });
    compiled.set(text, validate);
    return validate;
  };
  const byPointer = new Map<string, ValidateFunction>();
  const errorsOf = (pointer: string, value: unknown): ErrorObject[] => {
    const validate = byPointer.get(pointer) ?? validatorOf(pointer);
    byPointer.set(pointer, validate);
    return validate(value) ? [] : [...(validate.errors ?? [])];
  };
  return (pointer, value) => {
    const errors = errorsOf(pointer, value);
    if (errors.length === 0) return [];
    const ofKind = alternativesOf(pointer)
      .map((alternative) => errorsOf(alternative, value))
      .find((found) => !found.some(({ instancePath }) => instancePath === "/event" || instancePath === "/type"));
    return (ofKind ?? errors).map(inWords);
  };
}

/** Pointers are in the form of URI fragments. */
function schemaAt(pointer: string): unknown {
  const names = pointer.split("/").slice(1);
  const nameOf = (part: string): string => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  return names.reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[nameOf(part)], contract);
}

/** The schemas of which the value must fit one, as events must: their member `event` or `type` tells which. */
function alternativesOf(pointer: string): string[] {
  const [, name = ""] = /^#\/components\/schemas\/(\w+)$/.exec(pointer) ?? [];
  const { schemas } = contract.components as { schemas: Record<string, { anyOf?: { $ref?: string }[] }> };
  return (schemas[name]?.anyOf ?? []).flatMap(({ $ref }) => $ref ?? []);
}

function inWords({ instancePath, keyword, message, params }: ErrorObject): string {
  const place = instancePath || "the whole";
  if (keyword === "additionalProperties") return `${place} has the member ${params.additionalProperty}, which the contract does not name`;
  return `${place} ${message} ${JSON.stringify(params)}`;
}

/**
 * `format` stays an annotation: the contract's patterns decide. `make check` looks whether its schemas are valid, and V8 optimizes as well:
 * without both compiling takes half as long.
 */
function ajvOf(document: Schema): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    code: { optimize: false },
    keywords: ["example", "x-donator-text", "x-validated-per-item", ...Object.keys(document)],
  });
  return ajv.addSchema(document, "contract");
}

function seal<T>(node: T): T {
  if (typeof node !== "object" || node === null) return node;
  const schema = node as Schema;
  if (schema.type === "object" && schema.properties) schema.additionalProperties ??= false;
  Object.values(schema).forEach(seal);
  return node;
}
