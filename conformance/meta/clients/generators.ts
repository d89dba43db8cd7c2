// How each generator is run, in its folder of generated/, and in what it falls short whatever a document says.

export type Generator = {
  name: string;
  /** The packages whose versions the table names. */
  packages: readonly string[];
  command: readonly string[];
  /** Steps of the story that it cannot take, each with the reason. */
  cannot?: Readonly<Record<string, string>>;
};

const document = "./generated/openapi.json";

export const generators: readonly Generator[] = [
  {
    name: "openapi-typescript",
    packages: ["openapi-typescript", "openapi-fetch"],
    command: ["openapi-typescript", document, "--output", "generated/openapi-typescript/schema.ts", "--default-non-nullable", "false"],
  },
  {
    name: "hey-api",
    packages: ["@hey-api/openapi-ts"],
    command: ["openapi-ts", "--input", document, "--output", "generated/hey-api", "-c", "@hey-api/client-fetch"],
  },
  {
    name: "orval",
    packages: ["orval"],
    command: ["orval", "--input", document, "--output", "generated/orval/api.ts", "--client", "fetch", "--mode", "single"],
  },
  {
    name: "swagger-typescript-api",
    packages: ["swagger-typescript-api"],
    command: ["swagger-typescript-api", "generate", "--path", document, "--output", "generated/swagger-typescript-api", "--name", "api.ts"],
  },
  {
    name: "oazapfts",
    packages: ["oazapfts", "@oazapfts/runtime"],
    command: ["oazapfts", document, "generated/oazapfts/api.ts"],
    cannot: { export: "reads every answer of an operation whose errors are JSON as JSON" },
  },
  { name: "kubb", packages: ["@kubb/cli", "@kubb/plugin-client", "axios"], command: ["kubb", "generate"] }, // kubb.config.ts
  {
    name: "openapi-typescript-codegen",
    packages: ["openapi-typescript-codegen"],
    command: ["openapi", "--input", document, "--output", "generated/openapi-typescript-codegen", "--useUnionTypes"],
    cannot: { export: "reads every body that is not JSON as text" },
  },
];
