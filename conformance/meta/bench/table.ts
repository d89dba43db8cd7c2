// Tables and figures as text for the terminal.

/** Numbers to the right, the first row above a line. */
export function table(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (/^[\d.,%-]+$/.test(cell) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join("  ")
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return lines.join("\n");
}

export function ms(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)}%`;
}
