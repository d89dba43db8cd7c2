// A setting: its variable, rule, default and meaning, and how it is read from the environment.

import { readFileSync } from "node:fs";
import { z } from "zod";

export type Setting = Readonly<{
  name: string;
  /** Turns the text into the value. Its description is the rule in words. Without one, a library reads the variable. */
  rule?: z.ZodType;
  /** The text that counts when the variable is unset or empty. */
  default?: string;
  /** What counts then, as Markdown, where it depends on other settings. */
  shownDefault?: string;
  /** As Markdown. Links lead from docs/operations/. */
  meaning: string;
  /** The variable NAME_FILE may name a file that holds it, as containers mount secrets. */
  isSecret?: true;
  /** Errors do not quote a value that may contain a secret. */
  isUnquoted?: true;
}>;

export type SettingTable = Readonly<Record<string, Setting>>;

type Value<One extends Setting> = One extends { rule: z.ZodType<infer Read> }
  ? One extends { default: string }
    ? Read
    : Read | null
  : null;

/** Null: the variable is unset or empty, and has no default. */
type Values<Table extends SettingTable> = {
  readonly [Member in keyof Table as Table[Member] extends { rule: z.ZodType } ? Member : never]: Value<Table[Member]>;
};

/** Throws an Error that names the variable and its rule. */
export function readSettings<Table extends SettingTable>(env: NodeJS.ProcessEnv, table: Table): Values<Table> {
  const read = Object.entries(table).filter(([, { rule }]) => rule);
  return Object.fromEntries(read.map(([member, setting]) => [member, readSetting(env, setting)])) as Values<Table>;
}

/** Throws an Error that names the variable and its rule. */
export function readSetting<One extends Setting>(env: NodeJS.ProcessEnv, setting: One): Value<One> {
  const { name, rule, isSecret, isUnquoted } = setting;
  const text = (isSecret ? readSecret(env, name) : env[name]) || setting.default;
  if (!text) return null as Value<One>;
  const { success, data } = rule?.safeParse(text) ?? { success: true };
  if (!success) throw new Error(`${name} ${rule?.description}${isSecret || isUnquoted ? "" : `, not "${text}"`}`);
  return data as Value<One>;
}

/** Reads a secret from its variable, or from the file that `NAME_FILE` names, without the line's end. Throws an Error that names the variable. */
function readSecret(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const fileName = `${name}_FILE`;
  const [text, file] = [env[name], env[fileName]];
  if (text && file) throw new Error(`${name} and ${fileName} are both set: set one of them`);
  if (!file) return text;
  const secret = readSecretFile(fileName, file);
  // Unset is something else: without DATABASE_URL donations would go to the embedded database.
  if (!secret) throw new Error(`${fileName} names a file that is empty: ${file}`);
  return secret;
}

function readSecretFile(fileName: string, file: string): string {
  try {
    return readFileSync(file, "utf8").trimEnd();
  } catch (error) {
    throw new Error(`${fileName} names a file that can't be read (${(error as NodeJS.ErrnoException).code}): ${file}`);
  }
}

// Rules that several settings have. The last call of each says it in words.

export const anyText = z.string();

export const onOff = z.stringbool({ truthy: ["on"], falsy: ["off"], case: "sensitive" }).describe("must be on or off");

export const oneOf = <const Word extends string>(...words: Word[]) => z.enum(words).describe(`must be one of ${words.join(", ")}`);

export const share = z.coerce.number().min(0).max(1).describe("must be from 0 to 1");

export function wholeNumber(least: number, most: number, unit = "") {
  const digits = z.string().regex(/^(?:0|[1-9]\d*)$/);
  return digits.transform(Number).pipe(z.number().min(least).max(most)).describe(`must be a whole number${unit} from ${least} to ${most}`);
}

export const milliseconds = wholeNumber(1, 99_999, " of milliseconds");
export const port = wholeNumber(0, 65_535);

/** Invalid text reaches no further check of the address (`abort`). */
export const httpUrl = z.url({ protocol: /^https?$/, normalize: true, abort: true });
