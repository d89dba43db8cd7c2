import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";

export default defineConfig({
  input: { path: "./generated/openapi.json" },
  output: { path: "generated/kubb", extension: { ".ts": ".ts" } },
  plugins: [pluginOas({ generators: [] }), pluginTs({}), pluginClient({})],
});
