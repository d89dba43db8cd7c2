// What a column of an imported file can be, in words.

import type { FileMember } from "../../donations/import/files/columns.ts";

export const importMemberLabels: Readonly<Record<FileMember, Readonly<{ th: string; en: string }>>> = {
  createdAt: { th: "เวลา", en: "Time" },
  donatorName: { th: "ชื่อผู้โดเนท", en: "Donator's name" },
  amount: { th: "จำนวนเงิน", en: "Amount" },
  currency: { th: "สกุลเงิน", en: "Currency" },
  message: { th: "ข้อความ", en: "Message" },
  identifier: { th: "ตัวระบุผู้โดเนท", en: "Donator's identifier" },
  idempotencyKey: { th: "รหัสรายการ", en: "Number of the payment" },
  timeOfDay: { th: "เวลาของวัน", en: "Time of day" },
  timeZone: { th: "เขตเวลา", en: "Time zone" },
  status: { th: "สถานะการชำระเงิน", en: "Status of the payment" },
  channel: { th: "ช่องทาง", en: "Channel" },
  source: { th: "ที่มา", en: "Source" },
  donationId: { th: "รหัสโดเนท", en: "Donation id" },
  voidedAt: { th: "เป็นโมฆะเมื่อ", en: "Voided at" },
};
