const faults: [RegExp, string][] = [
  [/^ECONNREFUSED$/, "nothing listens at this address"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "no such host"],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, "it cannot be reached"],
  [/^(ECONNRESET|EPIPE)$/, "it closes the connection without an answer"],
  [/^(EPROTO|ERR_SSL_.*)$/, "it does not speak TLS as https needs it: is it http?"],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/, "its TLS certificate is not trusted (NODE_EXTRA_CA_CERTS=file adds an authority)"],
  [/^HPE_/, "what it answers is not HTTP"],
];

/** Why there was no answer, in words. */
export function connectionFault(error: unknown): string {
  const { code = "", message = "" } = deepest(error) as { code?: string; message?: string };
  const words = faults.find(([pattern]) => pattern.test(code))?.[1] ?? "the request failed";
  const detail = [code, message].filter((text, index) => text !== "" && !(index === 0 && message.includes(code))).join(": ");
  return detail ? `${words} (${detail})` : words;
}

/** A host with several addresses fails with one error for each. */
function deepest(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return deepest(error.errors[0]);
  return error ?? {};
}
