// Which column of the export holds which member of a donation. A column is titled by its member's name in words, unless it stands here.

const titles: Record<string, string> = { donatorName: "Donator", id: "Donation id" };

/** Columns of members that have several. */
export const severalColumns: Record<string, readonly string[]> = { voided: ["Voided at", "Void reason"] };

/** Members of a donation without a column, each with the reason. This list may only shrink. */
export const withoutColumn: Record<string, string> = {
  skipAlert: "says how the donation was to be shown, not what was given",
  alert: "changes after the donation was recorded",
};

/** `receivedAt` → `Received at`. */
export function titleOf(member: string): string {
  const words = member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return titles[member] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
