import { inContract } from "../contract-edit.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inBody = (from: string, to: string): Edit => ({ file: "src/http/body.ts", from, to });

export const rawJson: Mutants = {
  "duplicates-refused": {
    broken: "a member that stands there twice is refused",
    edit: inBody(
      "const value: unknown = JSON.parse(text);",
      'if (/("[^"\\\\]+")\\s*:.*\\1\\s*:/s.test(text)) throw new SyntaxError("twice");\n    const value: unknown = JSON.parse(text);',
    ),
    killedBy: [["donations/json-body", /duplicate member the last counts/]],
  },
  "bom-refused": {
    broken: "a byte order mark is refused",
    edit: inBody('new TextDecoder("utf-8", { fatal: true })', 'new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })'),
    killedBy: [["donations/json-body", /byte order mark before the body is ignored/]],
  },
  "utf8-lenient": {
    broken: "invalid UTF-8 is read as U+FFFD",
    edit: inBody("{ fatal: true }", "{ fatal: false }"),
    killedBy: [["donations/json-body", /invalid UTF-8/]],
  },
  "nesting-33": {
    broken: "a body may nest 33 levels deep",
    edit: inContract('"x-max-nesting": 32', '"x-max-nesting": 33'),
    killedBy: [["donations/json-body", /nesting/]],
  },
  "nesting-in-texts": {
    broken: "brackets in a text count as levels",
    edit: inBody("quoted = !quoted;", "quoted = false;"),
    killedBy: [["donations/json-body", /inside a string is text/]],
  },
  "body-65537": {
    broken: "a body may be a byte larger than 64 KiB",
    edit: inContract('"x-max-body-bytes": 65536', '"x-max-body-bytes": 65537'),
    killedBy: [["donations/json-body", /64 KiB.*and one byte/]],
  },
  "type-prefix": {
    broken: "a content type that only begins like JSON's is taken for it",
    edit: inBody("accepted.find((known) => known === name)", "accepted.find((known) => name.startsWith(known))"),
    killedBy: [["donations/json-body", /is unsupported_media_type/]],
  },
  "charset-ignored": {
    broken: "any charset is taken",
    edit: inBody("/^charset\\s*=/.test(parameter)", "/^never=/.test(parameter)"),
    killedBy: [["donations/json-body", /is unsupported_media_type/]],
  },
};
