// Types of find.js, which the server and the browser share.

/** A place in the documentation that a search can find. */
export type Place = Readonly<{
  kind: "guide" | "operation" | "error" | "member";
  /** Relative to /docs/. */
  href: string;
  title: string;
  /** What it belongs to: the guide, the request, the status, the schema. */
  within: string;
  text: string;
  /** The same section of a guide in Thai. */
  th?: Readonly<{ title: string; within: string; text: string }>;
}>;

/** A piece of text; `isMatch`: the query has it. */
export type Piece = Readonly<{ text: string; isMatch: boolean }>;

export type Found = Readonly<{
  kind: Place["kind"];
  href: string;
  title: readonly Piece[];
  within: string;
  excerpt: readonly Piece[];
  /** The language of title and excerpt. */
  language: "th" | "en";
}>;

/** Finds the places that have every word of the query, best first, shown for readers of this language. */
export function find(places: readonly Place[], query: string, language: "th" | "en"): Found[];

/** The same places, for a caller that shows a part of them. */
export function rank(places: readonly Place[], query: string): Place[];

/** Folds the texts of the place for all searches that follow. The first search does that otherwise. */
export function fold(place: Place): unknown;

/** A place that `rank` found for this query, as `find` shows it. */
export function show(place: Place, query: string, language: "th" | "en"): Found;
