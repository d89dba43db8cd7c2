// Settings that hold secrets may be given by a file, as containers mount them: DATABASE_URL_FILE instead of DATABASE_URL.

import { readFileSync } from "node:fs";

export const secrets = ["DATABASE_URL", "LISTEN_DATABASE_URL", "READ_DATABASE_URL", "REDIS_URL", "SECRET_KEY", "TTS_TOKEN"] as const;

type Secret = (typeof secrets)[number];

/** Reads a secret from its variable, or from the file that `NAME_FILE` names. Throws an Error that names the variable. */
export function readSecret(env: NodeJS.ProcessEnv, name: Secret): string | undefined {
  const fileName = `${name}_FILE`;
  const [text, file] = [env[name], env[fileName]];
  if (text && file) throw new Error(`${name} and ${fileName} are both set: set one of them`);
  return file ? readSecretFile(fileName, file) : text;
}

/** The content of a file that a setting names, without the line's end. */
function readSecretFile(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8").trimEnd();
  } catch (error) {
    throw new Error(`${name} names a file that can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
