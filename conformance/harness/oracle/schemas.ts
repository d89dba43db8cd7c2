// Validates answers with the schemas of the contract.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

import { contract, type Schema } from "./contract.ts";

/** Faults of `value` against the schema at `pointer` of the contract, in words; none when it is valid. */
export type Validator = (pointer: string, value: unknown) => string[];

/** As published: what a caller may lean on. */
export const published: Validator = validator(() => contract);

/** With every object closed: what an answer may hold, and not one member more. */
export const sealed: Validator = validator(() => seal(structuredClone(contract)));

/** Reads the document when the first value is validated: that takes 0.2 s, and most processes of a run validate none. */
function validator(read: () => Schema): Validator {
  let ajv: Ajv2020 | undefined;
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, value) => {
    ajv ??= ajvOf(read());
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `contract${pointer}` });
    compiled.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || "the whole"} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** `format` stays an annotation: the contract's patterns decide. */
function ajvOf(document: Schema): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    validateFormats: false,
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
