// Remembers with which settings servers of this project were started, so that a report can say how to start one like it.

/** The settings of each server that this process started, by its address. */
export const launches = new Map<string, Record<string, string>>();

/** Settings of the machine, of the suite and of its databases; a server is started without them, too. */
const ownSettings = /^(PATH|HOME|USER|TMPDIR|PG.*|NODE_.*|LOG_LEVEL|DATABASE_URL|DATABASE_READ_URL|DATA_DIR|BASE_URL)$/;
const secretSettings = /SECRET|PASSWORD|TOKEN|KEY/;

/** A shell command that starts a server with these settings on an empty database; it prints a key. */
export function startCommand(env: Record<string, string>): string {
  const settings = Object.entries(env).filter(([name]) => !ownSettings.test(name) && !secretSettings.test(name));
  return ["DATA_DIR=$(mktemp -d)", ...settings.map(([name, value]) => `${name}=${shellWord(value)}`), "make start"].join(" ");
}

// Quotes texts for a shell.

/** The text as one word of a shell command. */
export const shellWord = (text: string): string => (isPlain(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Whether the text means itself in a shell. */
export const isPlain = (text: string): boolean => /^[\w@%+=:,./-]+$/.test(text);
