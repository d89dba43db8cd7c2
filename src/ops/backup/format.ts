// The format of a backup: a gzipped SQL script of data, as psql reads it, for a schema that the migrations named in it have made.
//
//   -- namjai backup 1
//   -- { "madeAt": …, "migrations": [ … ] }
//   copy "donations" ("streamer_id", …) from stdin;
//   …
//   \.
//   -- journal { … }      an entry of the journal of erasures
//   -- end                a file without it is not whole

export const firstLine = "-- namjai backup 1";
export const journalMark = "-- journal ";
export const lastLine = "-- end";
export const endOfCopy = "\\.";

/** `madeAt`: RFC 3339. `migrations`: their names, in the order in which they were applied. */
export type Manifest = Readonly<{ madeAt: string; migrations: readonly string[] }>;

const newline = 10;

/** Splits a stream into its lines, without their ends; no other character ends a line. */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
