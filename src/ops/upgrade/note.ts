// Part of `make release`: records the released migrations with their checksums, and the answers of the released server.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { migrationsDirectory, readMigrations } from "../../db/migrator/migrate.ts";
import { temporaryServer } from "../../db/testing.ts";
import { answersAfter } from "./upgrade.ts";

const migrations = Object.fromEntries((await readMigrations(migrationsDirectory)).map(({ name, sha256 }) => [name, sha256]));

const server = await temporaryServer();
try {
  const answers = await answersAfter(server, { migration: Object.keys(migrations).at(-1) as string });
  const lines = Object.entries(answers).map(([request, answer]) => `    ${JSON.stringify(request)}: ${JSON.stringify(answer)}`);
  const text = `{\n  "migrations": ${JSON.stringify(migrations)},\n  "answers": {\n${lines.join(",\n")}\n  }\n}\n`;
  await writeFile(join(import.meta.dirname, "released.json"), text);
} finally {
  await server.remove();
}
process.exit(0);
