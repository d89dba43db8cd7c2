// So much at once and no more, in the order of asking: a crowd that connects at once must not take every database connection.

/** Lets `most` of the calls run at once; the others wait for their turn. */
export function gated<Asked extends unknown[], Answer>(
  most: number,
  work: (...asked: Asked) => Promise<Answer>,
): (...asked: Asked) => Promise<Answer> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (...asked) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work(...asked);
    } finally {
      const next = waiting.shift(); // the place goes straight to whoever waits longest
      if (next) next();
      else free += 1;
    }
  };
}
