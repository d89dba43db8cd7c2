// TLS of a database's address: what stands behind its question mark.

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** All but the first two check the server's certificate and its name. `pg` knows no connection that is encrypted only if the server likes to. */
const modes = ["disable", "no-verify", "require", "verify-ca", "verify-full"];

/** Throws an Error that names the setting, when the driver would fail at each connection or read a value otherwise than it is meant. */
export function requireTls(name: string, { searchParams }: URL): void {
  const [mode, ssl] = [searchParams.get("sslmode"), searchParams.get("ssl")];
  if (mode !== null && !modes.includes(mode)) throw new Error(`${name}: sslmode must be one of ${modes.join(", ")}, not "${mode}"`);
  if (ssl !== null && !["true", "1", "0"].includes(ssl))
    throw new Error(`${name}: ssl must be true, 1 or 0, not "${ssl}"; sslmode says more`);
  const read = <T>(parameter: string, parse: (pem: string) => T): T | null => {
    const path = searchParams.get(parameter);
    return path === null ? null : parseFile(`${name}: ${parameter}`, path, parse);
  };
  read("sslrootcert", (pem) => new X509Certificate(pem));
  const certificate = read("sslcert", (pem) => new X509Certificate(pem));
  const key = read("sslkey", createPrivateKey);
  requirePair(name, certificate, key);
}

/**
 * The address as `pg` takes it. All three modes check the certificate and its name, but of the other two `pg` prints a warning, which is no
 * line of the log.
 */
export function addressForDriver(url: string): string {
  return url.replace(/([?&]sslmode=)(?:require|verify-ca)(?=&|$)/, "$1verify-full");
}

function requirePair(name: string, certificate: X509Certificate | null, key: KeyObject | null): void {
  if (!certificate !== !key)
    throw new Error(`${name}: sslcert and sslkey, certificate and key of the client, go together; one of them is missing`);
  if (certificate && key && !certificate.checkPrivateKey(key))
    throw new Error(`${name}: the key of sslkey is not that of the certificate of sslcert`);
}

function parseFile<T>(what: string, path: string, parse: (pem: string) => T): T {
  let pem = "";
  try {
    pem = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`${what}, the file "${path}", cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return parse(pem);
  } catch {
    throw new Error(
      `${what}, the file "${path}", must be ${what.endsWith("sslkey") ? "a private key without a password" : "a certificate"} in PEM`,
    );
  }
}
