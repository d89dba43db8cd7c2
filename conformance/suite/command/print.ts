// The terminal, for everything that the command prints.

/** Prints a line of the report on the terminal. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
