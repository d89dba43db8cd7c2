// Bytes that no argument of a program can hold, as commands of bash that print them.

/** Linux passes a program no longer argument than 128 KiB; escaped, a byte takes four letters. */
const maxArgument = 32 * 1024;
/** Equal bytes in a row that are printed by their number. */
const longRun = 1_024;

/** Whether one word of bash can hold these bytes: a word ends at a NUL. */
export const fitsInWord = (bytes: Buffer): boolean => bytes.length <= maxArgument && !bytes.includes(0);

/** Commands that print the bytes, as `printf '\101\000'; head -c 4096 /dev/zero | tr '\0' '\040'`. */
export function printing(bytes: Buffer): string {
  const commands: string[] = [];
  let plainFrom = 0;
  const printPlain = (to: number): void => {
    if (to > plainFrom) commands.push(`printf '${Array.from(bytes.subarray(plainFrom, to), octal).join("")}'`);
  };
  for (let start = 0; start < bytes.length; ) {
    const byte = bytes[start] as number;
    let end = start + 1;
    while (bytes[end] === byte) end += 1;
    if (end - start >= longRun) {
      printPlain(start);
      commands.push(`head -c ${end - start} /dev/zero | tr '\\0' '${octal(byte)}'`);
      plainFrom = end;
    }
    start = end;
  }
  printPlain(bytes.length);
  return commands.join("; ");
}

/** What printf takes as it is stays readable, so that a secret in it is found and replaced. */
const octal = (byte: number): string =>
  byte >= 32 && byte < 127 && !"'\\%".includes(String.fromCharCode(byte))
    ? String.fromCharCode(byte)
    : `\\${byte.toString(8).padStart(3, "0")}`;
