/** Makes a value when it is first asked for, and keeps it: what a start does not need must not delay it. */
export function lazy<Value extends object>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}
