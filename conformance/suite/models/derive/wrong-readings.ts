// Compares what each operation answers of a donation with what was recorded.

import { create, type Donation, replayed } from "../../client/api.ts";
import { withoutColumn } from "../../contract/columns.ts";
import { type Reading, type Recorded, readers } from "./readers.ts";

/** Describes where a member of a recorded donation is answered wrongly; empty when every operation answers `wanted`. */
export async function wrongReadings(member: string, recorded: Recorded, wanted: unknown): Promise<string[]> {
  const read = Object.entries(readers).filter(([operation]) => !(operation === "exportDonations" && member in withoutColumn));
  const again = replayed(await create(recorded.sent));
  const readings: [operation: string, reading: Reading][] = [
    ["createDonation", valueIn(recorded.donation, member)],
    ["createDonation, sent again,", valueIn(again, member)],
    ...(await Promise.all(
      read.map(async ([operation, reader]): Promise<[string, Reading]> => [operation, await reader(recorded, member)]),
    )),
  ];
  const wrong = readings.filter(([operation, reading]) => !agrees(operation, reading, wanted));
  if (wrong.length === 0) return [];
  const lines = wrong.map(
    ([operation, reading]) => `${operation} ${"missing" in reading ? reading.missing : `answers ${JSON.stringify(reading.value)}`}`,
  );
  return [
    `${summary(
      member,
      wrong.map(([operation]) => operation),
      readings.length,
    )}: wanted ${JSON.stringify(wanted)}`,
    ...lines,
  ];
}

const valueIn = (donation: Donation, member: string): Reading =>
  member in donation ? { value: (donation as { [member: string]: unknown })[member] } : { missing: "answers the donation without it" };

/** An empty cell stands for null and for "". */
function agrees(operation: string, reading: Reading, wanted: unknown): boolean {
  if ("missing" in reading) return false;
  const shown = operation === "exportDonations" ? (wanted ?? "") : wanted;
  return JSON.stringify(reading.value) === JSON.stringify(shown);
}

function summary(member: string, wrong: string[], all: number): string {
  if (wrong.length === all) return `${member} is not stored`;
  if (!wrong.includes("createDonation") && wrong.length === all - 1) return `${member} is not stored, or not read`;
  if (wrong.length === 1 && wrong[0] === "exportDonations") return `${member} is not exported`;
  return `${member} is not read everywhere`;
}
