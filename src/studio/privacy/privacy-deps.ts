// What the studio needs of erasure and retention.

/** Whom to erase, as members of the contract's DonatorErasure: `identifier` or `donatorName`. */
export type Donator = Readonly<Record<string, string>>;

/** Donations of a donator. Times of the first and the last in milliseconds since 1970; null without donations. */
export type DonatorFound = Readonly<{ donations: number; firstAt: number | null; lastAt: number | null }>;

/** An erasure of one donator. Times in milliseconds since 1970; `finishedAt` is null while it goes on. `donations`: erased so far. */
export type Erasure = Readonly<{ id: string; beganAt: number; finishedAt: number | null; donations: number }>;

/** Erasure and retention of the streamer's donations. */
export type Privacy = Readonly<{
  /** What an erasure would erase now. Throws validation_failed, as `erase` does. */
  check: (streamerId: string, donator: Donator) => Promise<DonatorFound>;
  /**
   * Erases a donator, once for an id. Resolves when that is finished, or while it goes on after some seconds. Throws unavailable when the
   * donations are locked; what is left of an erasure that has begun is erased later all the same.
   */
  erase: (streamerId: string, donator: Donator, id: string) => Promise<void>;
  /** Ids may have any form: of what is not one there is no erasure. */
  find: (streamerId: string, id: string) => Promise<Erasure | null>;
  /** The latest, newest first. */
  list: (streamerId: string) => Promise<readonly Erasure[]>;
  /** For how many days donations keep what their donators wrote; null: for ever. */
  retention: (streamerId: string) => Promise<number | null>;
  /** How many donations would be erased now with this setting. */
  countAged: (streamerId: string, days: number) => Promise<number>;
  /** Throws validation_failed. */
  setRetention: (streamerId: string, days: number | null) => Promise<void>;
  maxRetentionDays: number;
}>;
