// Mutants of how JSON is read.

import { inContract } from "../contract-edit.ts";
import { changeAnswer, changeJson } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";

export const rawJson: Mutants = {
  "duplicates-named-twice": {
    broken: "a gateway names an unknown member as often as it was sent",
    interceptor: changeAnswer((answer, { body }) =>
      changeJson(answer, (value) => {
        const problem = value as { errors?: { pointer?: string }[] };
        const times = ({ pointer = "/" }) => Math.max(1, body.toString().split(`"${pointer.slice(1)}":`).length - 1);
        return problem.errors ? { ...problem, errors: problem.errors.flatMap((one) => Array(times(one)).fill(one)) } : value;
      }),
    ),
    killedBy: [["donations/unknown-members", /an unknown member that is sent twice is named once/]],
  },
  "nesting-33": {
    broken: "a body with 33 levels of nesting is accepted",
    edit: inContract('"x-max-nesting": 32', '"x-max-nesting": 33'),
    killedBy: [["donations/json-body", /nesting/]],
  },
  "body-65537": {
    broken: "a body one byte larger than 64 KiB is accepted",
    edit: inContract('"x-max-body-bytes": 65536', '"x-max-body-bytes": 65537'),
    killedBy: [["donations/json-body", /64 KiB.*and one byte/]],
  },
  "nesting-31": {
    broken: "a body of 32 levels is refused",
    edit: inContract('"x-max-nesting": 32', '"x-max-nesting": 31'),
    killedBy: [["donations/json-body", /32 nested levels is read/]],
  },
};
