// Says why a database cannot be used, and what to do about the setting that names it.

import { describeFailure } from "../telemetry/describe-failure.ts";

/** `DATA_DIR`: the embedded PostgreSQL. */
export type AddressSetting = "DATABASE_URL" | "READ_DATABASE_URL" | "LISTEN_DATABASE_URL" | "DATA_DIR";

/** By what the server or TLS says. */
const advices: readonly (readonly [RegExp, (setting: AddressSetting) => string])[] = [
  [
    /unsupported startup parameter/,
    (setting) =>
      `A connection pooler refuses what ${setting} has behind its question mark: leave it out there and set it for the database's role.`,
  ],
  [
    /statement pooling mode/,
    (setting) =>
      `The connection pooler at ${setting} has to give a connection for a transaction at least: set pool_mode = transaction there.`,
  ],
  [
    /client password must be a string/,
    (setting) => `The server asks for a password, and there is none: set PGPASSWORD, or write it percent-encoded into ${setting}.`,
  ],
  [
    /password authentication failed/,
    (setting) =>
      `Correct user and password: in ${setting}, where / @ # are written as %2F %40 %23, or in PGPASSWORD if there is none in it.`,
  ],
  [
    /permission denied for schema/,
    (setting) => `The user of ${setting} may not make tables there: make it the owner, with  alter database NAME owner to USER  in psql.`,
  ],
  [
    /in a read-only transaction/,
    (setting) =>
      `It takes no writes: name the primary server in ${setting} instead of a standby, or set default_transaction_read_only = off.`,
  ],
  [
    /does not support SSL/,
    (setting) => `${setting} asks for an encrypted connection, and the server has none: write sslmode=disable, or set ssl = on there.`,
  ],
  [
    /no encryption|SSL off/,
    (setting) =>
      `The server takes encrypted connections alone: add sslmode=verify-full to ${setting}, and the file of its authority's certificate as sslrootcert.`,
  ],
  [
    /self-signed certificate|unable to (?:get|verify)/,
    (setting) =>
      `No authority that is known here has signed the server's certificate: name the file of its authority's certificate in sslrootcert behind ${setting}.`,
  ],
  [
    /does not match certificate's altnames/,
    (setting) =>
      `The server's certificate is for another name than ${setting} has: write one of its names there, or give the server a certificate for this one.`,
  ],
  [
    /certificate (?:has expired|is not yet valid)/,
    () =>
      "By this machine's clock, the server's certificate or its authority's in sslrootcert is not valid now: replace it, or set the clock.",
  ],
  [
    /valid client certificate|certificate required/,
    (setting) => `The server asks for a certificate of the client: name its files in sslcert and sslkey behind ${setting}.`,
  ],
];

/** Without user and password. */
export function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `PostgreSQL at ${host}${pathname}`;
}

/** The error keeps the code of its cause, so that `isUnavailable` recognises a server that may still start. */
export function cannotBeUsed(setting: AddressSetting, url: string, cause: unknown): Error {
  const { code, message } = describeFailure(cause);
  const advice = adviceOn(setting, cause) ?? `Check ${setting}, and that the server runs and accepts connections of this program.`;
  return Object.assign(new Error(`${nameOf(url)} cannot be used: ${message}. ${advice}`, { cause }), { code });
}

/** Null: what the server says is not known here. */
export function adviceOn(setting: AddressSetting, cause: unknown): string | null {
  const { message = "" } = describeFailure(cause);
  return advices.find(([pattern]) => pattern.test(message))?.[1](setting) ?? null;
}
