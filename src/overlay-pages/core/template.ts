// Splits the template of an alert into the pieces of its text. Pure.

export type Piece = Readonly<{ kind: "text" | "name" | "amount"; text: string }>;

export type Templated = Readonly<{
  /** What stands above the message. */
  head: readonly Piece[];
  /** Whether the message is shown. */
  hasMessage: boolean;
  /** What stands below the message. */
  tail: readonly Piece[];
}>;

/** Donators' texts are put in after the template was split, so that a name `{message}` stays a name. A second `{message}` is left out. */
export function fillTemplate(template: string, values: Readonly<{ name: string; amount: string }>): Templated {
  const [head = "", ...rest] = template.split("{message}");
  return { head: piecesOf(head, values), hasMessage: rest.length > 0, tail: piecesOf(rest.join(""), values) };
}

function piecesOf(text: string, { name, amount }: Readonly<{ name: string; amount: string }>): Piece[] {
  return text
    .trim()
    .split(/(\{name\}|\{amount\})/)
    .filter((piece) => piece !== "")
    .map((piece): Piece => {
      if (piece === "{name}") return { kind: "name", text: name };
      return piece === "{amount}" ? { kind: "amount", text: amount } : { kind: "text", text: piece };
    });
}
