// Secrets are compared letter by letter: one in the other case is another.

/** The text with small letters for capitals, and capitals for small ones. */
export const inOtherCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
