// The shape of an attack, and of the server that it is run against.

/** A server on loopback with rate limits on, started for the attacks, and API keys for it. */
export type AttackedServer = {
  url: string;
  port: number;
  /** Of its process. */
  pid: number;
  keys: Readonly<{
    /** The attacker's key: it may only read. */
    attacker: string;
    /** Key of another streamer with all scopes. This client must be served during every attack. */
    regularClient: string;
    /** Key with all scopes of a streamer whose export is larger than the operating system's socket buffers. */
    largeHistory: string;
    /** Key of another streamer with all scopes, whose rate limits an attack may use up. */
    uploader: string;
    /** Key of the same streamer's overlay. */
    uploaderOverlay: string;
  }>;
  /** Of the same streamer: the fields of the login page. */
  uploaderLogin: Readonly<{ handle: string; password: string }>;
};

/** Size of an attack: `small` in the conformance suite, `full` in `make attack`. */
export type Scale = "small" | "full";

export type Attack = Readonly<{
  /** A full sentence: the test's title. */
  rule: string;
  /** Why the attack does not run at scale small. Left out: it runs at both scales. */
  fullScaleOnly?: string;
  /** Resolves to a description of what happened, for the terminal. Throws when the rule is broken. */
  run: (server: AttackedServer, scale: Scale) => Promise<string>;
}>;

/** Returns why the attack does not run at this scale; null: it runs. */
export const notRunReason = ({ fullScaleOnly }: Attack, scale: Scale): string | null =>
  scale === "small" && fullScaleOnly !== undefined ? `only with \`make attack\` at full scale: ${fullScaleOnly}` : null;

/** Returns the number for the scale. */
export const byScale = (scale: Scale, small: number, full: number): number => (scale === "small" ? small : full);
