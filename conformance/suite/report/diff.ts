// Compares two texts line by line, to show them side by side. Pure.

/** A row of the comparison; null: this side has no such line. */
export type DiffRow = { expected: string | null; actual: string | null; same: boolean };

const maxLines = 300;

/** Returns the lines of both texts, equal lines beside each other (longest common subsequence). Beyond 300 lines the rest is left out. */
export function diffOf(expectedText: string, actualText: string): DiffRow[] {
  const [expected, actual] = [linesOf(expectedText), linesOf(actualText)];
  const lengths = commonLengths(expected, actual);
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  let pending: [string[], string[]] = [[], []];
  const flush = (): void => {
    const [left, right] = pending;
    for (let at = 0; at < Math.max(left.length, right.length); at += 1)
      rows.push({ expected: left[at] ?? null, actual: right[at] ?? null, same: false });
    pending = [[], []];
  };
  while (i < expected.length || j < actual.length) {
    const [left, right] = [expected[i], actual[j]];
    if (left !== undefined && left === right) {
      flush();
      rows.push({ expected: left, actual: left, same: true });
      i += 1;
      j += 1;
    } else if (right === undefined || (left !== undefined && lengthAt(lengths, i + 1, j) >= lengthAt(lengths, i, j + 1))) {
      pending[0].push(left as string);
      i += 1;
    } else {
      pending[1].push(right);
      j += 1;
    }
  }
  flush();
  return rows;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.length > maxLines ? [...lines.slice(0, maxLines), `… (${lines.length} lines)`] : lines;
}

/** Length of the longest common subsequence of the rest of both lists from each pair of positions. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      (lengths[i] as number[])[j] =
        a[i] === b[j] ? lengthAt(lengths, i + 1, j + 1) + 1 : Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1));
  return lengths;
}

const lengthAt = (lengths: readonly number[][], i: number, j: number): number => lengths[i]?.[j] ?? 0;
