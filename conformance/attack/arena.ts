/** A server of ours on loopback, with rate limits on, and who may ask it. */
export type Arena = {
  url: string;
  port: number;
  keys: Readonly<{
    /** Read only: the attacker's. */
    attacker: string;
    /** All scopes, another streamer: must be served meanwhile. */
    neighbour: string;
    /** All scopes, a streamer whose export is larger than what the system buffers. */
    large: string;
  }>;
};

/** How much: the small one belongs to the suite, the full one to `make attack`. */
export type Scale = "small" | "full";

export type Attack = Readonly<{
  /** A full sentence. */
  rule: string;
  /** What was seen, in words. Throws when the rule is broken. */
  run: (arena: Arena, scale: Scale) => Promise<string>;
}>;

/** `scale` chooses one of two numbers. */
export const chosen = (scale: Scale, small: number, full: number): number => (scale === "small" ? small : full);
