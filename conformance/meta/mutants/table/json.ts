// Mutants of how JSON is read.

import { inContract } from "../contract-edit.ts";
import { changeAnswer, changeJson } from "../interceptors.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inBody = (from: string, to: string): Edit => ({ file: "src/http/body/body.ts", from, to });

export const rawJson: Mutants = {
  "duplicates-refused": {
    broken: "a body that contains a member twice is refused",
    edit: inBody(
      "const value: unknown = JSON.parse(text);",
      'if (/("[^"\\\\]+")\\s*:.*\\1\\s*:/s.test(text)) throw new SyntaxError("twice");\n    const value: unknown = JSON.parse(text);',
    ),
    killedBy: [["donations/json-body", /last of two duplicate members/]],
  },
  "duplicate-null-ignored": {
    broken: "a member with the value null does not replace the one before it",
    edit: inBody(
      "const value: unknown = JSON.parse(text);",
      'const value: unknown = JSON.parse(text.replace(/("amount":[^,]+),"amount":null/, "$1"));',
    ),
    killedBy: [["donations/json-body", /the last of two duplicate members is refused when it is null/]],
  },
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
  "names-end-at-nul": {
    broken: "the name of a member ends at NUL",
    edit: inBody("[storable(name), wellFormed(member)]", '[storable(name.split("\\0")[0]), wellFormed(member)]'),
    killedBy: [["donations/unknown-members", /a name that goes on behind NUL is another one/]],
  },
  "bom-refused": {
    broken: "a body that begins with a byte order mark is refused",
    edit: inBody('new TextDecoder("utf-8", { fatal: true })', 'new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })'),
    killedBy: [["donations/json-body", /byte order mark before the body is ignored/]],
  },
  "utf8-lenient": {
    broken: "invalid UTF-8 is read as U+FFFD",
    edit: inBody("{ fatal: true }", "{ fatal: false }"),
    killedBy: [["donations/json-body", /invalid UTF-8/]],
  },
  "utf16-by-mark": {
    broken: "a body in UTF-16 with a byte order mark is read",
    edit: inBody(
      "return utf8.decode(bytes);",
      'return bytes[0] === 0xff && bytes[1] === 0xfe ? new TextDecoder("utf-16le").decode(bytes) : utf8.decode(bytes);',
    ),
    killedBy: [["donations/json-body", /encoded in UTF-16LE with a byte order mark/]],
  },
  "utf16-by-zeros": {
    broken: "a body in UTF-16 is recognised by the zeros between its letters",
    edit: inBody(
      "return utf8.decode(bytes);",
      'return bytes[0] === 0 && bytes[2] === 0 ? bytes.swap16().toString("utf16le") : utf8.decode(bytes);',
    ),
    killedBy: [["donations/json-body", /encoded in UTF-16BE is refused/]],
  },
  "pieces-decoded-apart": {
    broken: "every piece of a body is decoded by itself, so that a letter whose bytes arrive apart is lost",
    edit: inBody(
      "await receive(ctx, principal, () => parse(ctx, noNext));",
      `await receive(ctx, principal, async () => {
      let read = "";
      for await (const piece of ctx.req) read += piece.toString();
      ctx.request.body = Buffer.from(read) as never;
    });`,
    ),
    killedBy: [
      ["donations/json-body", /wherever its bytes are cut/],
      ["interface/json-text", /wherever its bytes are cut/],
    ],
  },
  "digits-limited": {
    broken: "an integer of more than 4300 digits makes the server fail",
    edit: inBody(
      "if (nestsTooDeep(text)) throw",
      'if (/(?<![.\\d])\\d{4301}/.test(text)) throw new Error("too many digits");\n  if (nestsTooDeep(text)) throw',
    ),
    killedBy: [
      ["donations/create-donation", /an integer of 5000 digits is out_of_range/],
      ["donations/unknown-members", /is refused and named: request bodies are sealed/],
      ["interface/amount", /is refused: five thousand digits/],
      ["interface/server-errors", /five thousand digits/],
    ],
  },
  "expectation-refused": {
    broken: "a client that waits for 100 Continue is refused with 417",
    edit: {
      file: "src/http/server/server.ts",
      from: 'server.on("checkExpectation", receive);',
      to: 'server.on("checkContinue", (_, response) => response.writeHead(417).end());\n  server.on("checkExpectation", receive);',
    },
    killedBy: [["transport/protocol", /waits for 100 Continue/]],
  },
  "nesting-33": {
    broken: "a body with 33 levels of nesting is accepted",
    edit: inContract('"x-max-nesting": 32', '"x-max-nesting": 33'),
    killedBy: [["donations/json-body", /nesting/]],
  },
  "nesting-in-texts": {
    broken: "brackets inside strings count as levels of nesting",
    edit: inBody("quoted = !quoted;", "quoted = false;"),
    killedBy: [["donations/json-body", /inside a string do not count/]],
  },
  "body-65537": {
    broken: "a body one byte larger than 64 KiB is accepted",
    edit: inContract('"x-max-body-bytes": 65536', '"x-max-body-bytes": 65537'),
    killedBy: [["donations/json-body", /64 KiB.*and one byte/]],
  },
  "type-prefix": {
    broken: "a content type that only begins with application/json is accepted",
    edit: inBody("accepted.find((known) => known === name)", "accepted.find((known) => name.startsWith(known))"),
    killedBy: [["donations/json-body", /refused with unsupported_media_type/]],
  },
  "charset-ignored": {
    broken: "a content type with any charset is accepted",
    edit: inBody("/^charset\\s*=/.test(parameter)", "/^never=/.test(parameter)"),
    killedBy: [["donations/json-body", /refused with unsupported_media_type/]],
  },
};
