// A loop in which one item that fails does not keep the others from their turn.

/** Does the work for one item after the other, also when it fails for some; then throws the first failure. */
export async function forEachInTurn<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
