// The error of a wrong command line.

/** The command line, or a file that it names, is invalid; the message says why. */
export class UsageError extends Error {}

/** The server cannot be measured. `curl` is a request that shows why. */
export class NotMeasurable extends Error {
  readonly curl: string | null;
  constructor(reason: string, curl: string | null = null) {
    super(reason);
    this.curl = curl;
  }
}
