import { execFileSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { temporaryDirectory } from "./db/testing.ts";

let folder = "";
beforeAll(async () => {
  folder = await temporaryDirectory();
  const names = ["one", "two"];
  for (const name of names)
    execFileSync("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", `/CN=${name}`],
      ...["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)],
    ]);
  writeFileSync(join(folder, "empty.crt"), "");
  copyFileSync(join(folder, "one.crt"), join(folder, "certificate.key"));
});

const read = (query: string, name = "DATABASE_URL") =>
  readConfig({ [name]: `postgres://me@127.0.0.1/x?${query.replaceAll("FOLDER", folder)}` });

test.each([
  "sslmode=disable",
  "sslmode=no-verify",
  "sslmode=require",
  "sslmode=verify-ca",
  "sslmode=verify-full&sslrootcert=FOLDER/one.crt",
  "sslmode=verify-full&sslcert=FOLDER/one.crt&sslkey=FOLDER/one.key",
  "ssl=true",
  "ssl=0",
])("%s is taken", (query) => expect(read(query).databaseUrl).toContain("ssl"));

test.each([
  ["sslmode=prefer", /^DATABASE_URL: sslmode must be one of disable, no-verify, require, verify-ca, verify-full, not "prefer"$/],
  ["sslmode=", /^DATABASE_URL: sslmode must be one of .*, not ""$/],
  ["ssl=false", /^DATABASE_URL: ssl must be true, 1 or 0, not "false"; sslmode says more$/],
  ["sslrootcert=FOLDER/none.crt", /^DATABASE_URL: sslrootcert, the file ".*none.crt", cannot be read \(ENOENT\)$/],
  ["sslrootcert=FOLDER/empty.crt", /^DATABASE_URL: sslrootcert, the file ".*empty.crt", must be a certificate in PEM$/],
  ["sslcert=FOLDER/one.key&sslkey=FOLDER/one.key", /^DATABASE_URL: sslcert, the file ".*one.key", must be a certificate in PEM$/],
  ["sslcert=FOLDER/one.crt&sslkey=FOLDER/certificate.key", /^DATABASE_URL: sslkey, .* must be a private key without a password in PEM$/],
  ["sslcert=FOLDER/one.crt", /^DATABASE_URL: sslcert and sslkey.* go together; one of them is missing$/],
  ["sslkey=FOLDER/one.key", /^DATABASE_URL: sslcert and sslkey.* go together; one of them is missing$/],
  ["sslcert=FOLDER/one.crt&sslkey=FOLDER/two.key", /^DATABASE_URL: the key of sslkey is not that of the certificate of sslcert$/],
])("%s is refused by a sentence that names setting and parameter", (query, sentence) => expect(() => read(query)).toThrow(sentence));

test.each(["READ_DATABASE_URL", "LISTEN_DATABASE_URL"])("%s is held to the same", (name) =>
  expect(() => read("sslmode=always", name)).toThrow(`${name}: sslmode must be one of`),
);
