// How each generator is run, in its folder of generated/, what the adapter to its client imports, and in what it falls short whatever a document says.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { checkout } from "../../suite/contract/sources.ts";
import { type DemoServer, folder, type Row, run, versions } from "./run.ts";

type Generator = {
  name: string;
  /** The packages whose versions the table names. */
  packages: readonly string[];
  command: readonly string[];
  /** What it generates and adapters.ts uses. */
  modules: readonly string[];
  /** Steps of the story that it cannot take, each with the reason. */
  cannot?: Readonly<Record<string, string>>;
};

const document = "./generated/openapi.json";

export const generators: readonly Generator[] = [
  {
    name: "openapi-typescript",
    packages: ["openapi-typescript", "openapi-fetch"],
    command: ["openapi-typescript", document, "--output", "generated/openapi-typescript/schema.ts", "--default-non-nullable", "false"],
    modules: ["schema.ts"],
  },
  {
    name: "hey-api",
    packages: ["@hey-api/openapi-ts"],
    command: ["openapi-ts", "--input", document, "--output", "generated/hey-api", "-c", "@hey-api/client-fetch"],
    modules: ["client.gen.ts", "sdk.gen.ts"],
  },
  {
    name: "orval",
    packages: ["orval"],
    command: ["orval", "--input", document, "--output", "generated/orval/api.ts", "--client", "fetch", "--mode", "single"],
    modules: ["api.ts"],
  },
  {
    name: "swagger-typescript-api",
    packages: ["swagger-typescript-api"],
    command: ["swagger-typescript-api", "generate", "--path", document, "--output", "generated/swagger-typescript-api", "--name", "api.ts"],
    modules: ["api.ts"],
  },
  {
    name: "oazapfts",
    packages: ["oazapfts", "@oazapfts/runtime"],
    command: ["oazapfts", document, "generated/oazapfts/api.ts"],
    modules: ["api.ts"],
    cannot: { export: "reads every answer of an operation whose errors are JSON as JSON" },
  },
  { name: "kubb", packages: ["@kubb/cli", "@kubb/plugin-client", "axios"], command: ["kubb", "generate"], modules: ["index.ts"] }, // kubb.config.ts
  {
    name: "openapi-typescript-codegen",
    packages: ["openapi-typescript-codegen"],
    command: ["openapi", "--input", document, "--output", "generated/openapi-typescript-codegen", "--useUnionTypes"],
    modules: ["index.ts"],
    cannot: { export: "reads every body that is not JSON as text" },
  },
];

const strict = [
  ...["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--target", "esnext", "--module", "esnext"],
  ...[
    "--moduleResolution",
    "bundler",
    "--lib",
    "esnext,dom,dom.iterable",
    "--types",
    "node",
    "--typeRoots",
    `${checkout}/node_modules/@types`,
  ],
];
const bundled = ["--bundle", "--packages=external", "--platform=node", "--format=esm", "--log-level=warning"];

/** What adapters.ts imports from the clients of other generators, which are not there: values of any type, and the one type that it names. */
const missing = `declare module "*/openapi-typescript/entry.ts" { export type paths = any }
declare module "*/entry.ts";
`;

/** Generates, compiles strictly, and runs the story. */
export async function tryGenerator(generator: Generator, { url, apiKey }: DemoServer): Promise<Row> {
  const { name, packages, command, modules, cannot = {} } = generator;
  const entry = `generated/${name}/entry.ts`;
  await mkdir(`${folder}/generated/${name}`);
  const generated = await run(command);
  await writeFile(`${folder}/${entry}`, modules.map((module) => `export * from "./${module}";\n`).join(""));
  await writeFile(`${folder}/generated/missing.d.ts`, missing);
  const compiled = generated === "ok" ? await run(["tsc", ...strict, "adapters.ts", "generated/missing.d.ts"]) : "–";
  await run([`${checkout}/node_modules/.bin/esbuild`, entry, ...bundled, `--outfile=generated/${name}.mjs`]);
  const story = await run([process.execPath, "adapters.ts", name], { API_URL: url, API_KEY: apiKey, output: "all" });
  await rm(`${folder}/generated/${name}`, { recursive: true });
  const outcomes: Record<string, string> = story.startsWith("{") ? JSON.parse(story) : { story };
  for (const [step, reason] of Object.entries(cannot))
    outcomes[step] = outcomes[step] === "ok" ? "can now: take it out of generators.ts" : `– ${reason}`;
  return { tool: await versions(packages), steps: { generate: generated, compile: compiled, ...outcomes } };
}
