// Thai digits in what people type.

/** The text with Arabic digits instead of Thai ones: `๕๐` → `50`. */
export function withArabicDigits(text: string): string {
  return text.replace(/[๐-๙]/g, (digit) => String(digit.charCodeAt(0) - 0x0e50));
}
