// A request to a host that an untrusted party chose, and its answer, as they go from thread to thread.

/**
 * Bytes of an answer. `kept`: of its body. A longer body than `drained` is not read to its end, and its connection is closed instead of being used
 * again. `received`: with all that is around the body.
 */
type AnswerBytes = Readonly<{ headers: number; kept: number; drained: number; received: number }>;

/** `owner`: whoever chose the host; all hosts of one have a share of the thread's time. `trusted`: instead of the authorities that Node trusts. */
export type HostOptions = Readonly<{
  url: string;
  owner: string;
  timeouts: Readonly<{ connectMs: number; wholeMs: number }>;
  bytes: AnswerBytes;
  trusted?: readonly string[];
}>;

export type HostRequest = Readonly<{ method: "GET" | "POST"; headers: Readonly<Record<string, string>>; body?: string }>;

export type HostAnswer = Readonly<{
  status: number;
  retryAfter: string | undefined;
  contentType: string | undefined;
  /** The first bytes of the body. */
  text: string;
  /** Why the rest was not read; null when the answer is whole. */
  cutOff: string | null;
}>;

/** Message of the failure, and what `cutOff` says, when there is more of an answer than `bytes` allow. */
export const tooLong = "The answer is too long.";
