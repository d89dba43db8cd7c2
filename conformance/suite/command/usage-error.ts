// The error of a wrong command line.

/** The command line, or a file that it names, is invalid; the message says why. */
export class UsageError extends Error {}
