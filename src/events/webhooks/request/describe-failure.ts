// Says in words why a request to an endpoint failed.

import { PrivateHost } from "../../../http/public-hosts.ts";

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: "The host name has no address.",
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was closed before an answer.",
  EPIPE: "The connection was closed before an answer.",
  UND_ERR_SOCKET: "The connection was closed before an answer.",
  ETIMEDOUT: "The host can't be reached.",
  EHOSTUNREACH: "The host can't be reached.",
  ENETUNREACH: "The host can't be reached.",
  CERT_HAS_EXPIRED: "The TLS certificate has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The TLS certificate is not for this host.",
  UND_ERR_HEADERS_OVERFLOW: "The headers of the answer are too large.",
};

/** Codes of OpenSSL for certificates that are not trusted, and of an endpoint that does not speak TLS. */
const untrusted = /^(CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/;
const notTls = /^(ERR_SSL_|EPROTO)/;

export function wordsOf(error: unknown): string {
  if (error instanceof PrivateHost) return "The host does not have public addresses only.";
  if (!(error instanceof Error)) return "The request failed.";
  const { code = "" } = error as { code?: string };
  if (words[code] !== undefined) return words[code];
  if (untrusted.test(code)) return `The TLS certificate is not trusted (${code}).`;
  if (notTls.test(code)) return "No TLS connection could be made.";
  if (code.startsWith("HPE_")) return "The answer is not well-formed HTTP.";
  return code === "" && /^(No (connection|answer) within|The answer is too long)/.test(error.message)
    ? error.message
    : "The request failed.";
}
