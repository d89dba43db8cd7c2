// A chain of certificates that a client takes as long as possible to verify. Names and constraints on names are compared pair by pair.

import { type BinaryLike, generateKeyPairSync, sign } from "node:crypto";

export type Chain = Readonly<{ cert: string; key: string }>;

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** A value of DER (X.690) with its tag. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const bytes = length < 0x80 ? [] : length < 0x1_00 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, bytes.length === 0 ? length : 0x80 + bytes.length, ...bytes]), content]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const nameOf = (text: string): Buffer => sequence(der(0x31, sequence(identifier("550403"), der(0x0c, Buffer.from(text)))));
const extension = (id: string, value: Uint8Array): Buffer => sequence(identifier(id), der(0x04, value));
const dnsName = (name: string): Buffer => der(0x82, Buffer.from(name));
const validity = sequence(der(0x17, Buffer.from("200101000000Z")), der(0x18, Buffer.from("21200101000000Z")));
const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"));

/** RFC 5280 4.1. All have the same key. */
function certificate(subject: string, issuer: string, extensions: readonly Uint8Array[]): string {
  const head = [der(0xa0, der(0x02, Buffer.of(2))), der(0x02, Buffer.of(1)), ecdsaWithSha256, nameOf(issuer), validity, nameOf(subject)];
  const body = sequence(...head, publicKey.export({ type: "spki", format: "der" }), der(0xa3, sequence(...extensions)));
  const signature = sign("sha256", body as BinaryLike as Buffer, privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.of(0), signature));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

/** The names of a host, which each of its issuers excludes other names for: 100 KiB, the most that OpenSSL reads, and a million comparisons each. */
export function costlyChain(names = 16_000, constraints = 64, issuers = 60): Chain {
  const repeat = (count: number, one: Buffer) => Array.from({ length: count }, () => one);
  const alternatives = extension("551d11", sequence(...repeat(names, dnsName("a"))));
  const isIssuer = extension("551d13", sequence(der(0x01, Buffer.of(0xff))));
  const excluded = extension("551d1e", sequence(der(0xa1, ...repeat(constraints, sequence(dnsName("b"))))));
  const chain = Array.from({ length: issuers }, (_, index) =>
    certificate(`${index}`, `${Math.min(index + 1, issuers - 1)}`, [isIssuer, excluded]),
  );
  return {
    cert: certificate("host", "0", [alternatives]) + chain.join(""),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
