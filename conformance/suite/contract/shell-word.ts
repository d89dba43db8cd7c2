// Quotes texts for a shell.

/** The text as one word of a shell command. */
export const shellWord = (text: string): string => (isPlain(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Whether the text means itself in a shell. */
export const isPlain = (text: string): boolean => /^[\w@%+=:,./-]+$/.test(text);
