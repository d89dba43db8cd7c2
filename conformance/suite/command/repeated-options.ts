// The options that the printed command repeats with which a failed rule is run again.

import { isPlain, shellWord } from "../contract/shell-word.ts";
import type { Run } from "../report/run.ts";

/** Options that decide which rules are run and what they know, beside those of which a run notes the value that it used. */
const names = ["oauth-credentials", "oauth-login-command", "state", "corpus", "no-corpus", "minutes", "read-only", "may-disturb-alerts"];

/** Returns the options of the command line that a replay of a failed rule must repeat. */
export const repeatedOptions = (given: Readonly<Record<string, string | boolean | undefined>>): Run["options"] =>
  names.flatMap((name): Run["options"] => {
    const value = given[name];
    if (!value) return [];
    return [[name, typeof value === "string" ? wordOf(name, value) : null]];
  });

/** A command with arguments may contain a password: the replay names a variable for it. */
const wordOf = (name: string, value: string): string =>
  name === "oauth-login-command" && !isPlain(value) ? '"$OAUTH_LOGIN_COMMAND"' : shellWord(value);
