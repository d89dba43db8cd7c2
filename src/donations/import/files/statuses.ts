// Whether a donation was paid, by the word of a file's status column, or of a bank's column for the direction of the money. Pure.

import { directionNames, paymentNames, refundNames } from "./column-names.ts";

const paid = new Set([
  ...["completed", "complete", "paid", "success", "successful", "succeeded", "ok", "done", "received", "cleared", "captured", "settled"],
  ...["confirmed", "approved", "processed", "สำเร็จ", "ทำรายการสำเร็จ", "รายการสำเร็จ", "โอนสำเร็จ", "ชำระเงินสำเร็จ", "จ่ายแล้ว", "ชำระแล้ว"],
  ...["ชำระเงินแล้ว", "โอนแล้ว", "โอนเงินแล้ว", "เรียบร้อย", "เรียบร้อยแล้ว", "ได้รับแล้ว", "รับแล้ว", "รับเงินแล้ว", "เสร็จสิ้น", "เสร็จสมบูรณ์", "สมบูรณ์"],
  ...["abgeschlossen", "bezahlt", "completado", "completada", "pagado", "terminé", "payé", "completato", "completata", "pagato"],
  ...["завершено", "завершен", "выполнено", "успешно", "оплачено", "оплачен", "зачислено"],
]);

const unpaid = new Set([
  ...["refunded", "refund", "partiallyrefunded", "partialrefund", "pending", "failed", "failure", "fail", "denied", "declined", "reversed"],
  ...["reversal", "canceled", "cancelled", "chargeback", "chargedback", "disputed", "dispute", "expired", "voided", "void", "unclaimed"],
  ...["uncleared", "returned", "held", "onhold", "hold", "processing", "inprogress", "unpaid", "waiting", "rejected", "error", "abandoned"],
  ...["blocked", "removed", "placed", "temporaryhold", "authorized", "incomplete", "initiated", "created"],
  ...["คืนเงิน", "คืนเงินแล้ว", "คืนแล้ว", "รอ", "รอดำเนินการ", "รอชำระ", "รอชำระเงิน", "รอตรวจสอบ", "รอโอน", "กำลังดำเนินการ", "อยู่ระหว่างดำเนินการ"],
  ...[
    "ล้มเหลว",
    "ไม่สำเร็จ",
    "ทำรายการไม่สำเร็จ",
    "ยกเลิก",
    "ยกเลิกแล้ว",
    "ถูกยกเลิก",
    "ปฏิเสธ",
    "ถูกปฏิเสธ",
    "หมดอายุ",
    "ค้างชำระ",
    "ยังไม่ชำระ",
    "ยังไม่จ่าย",
  ],
  ...["ausstehend", "zurückgezahlt", "rückerstattet", "erstattet", "abgelehnt", "storniert", "fehlgeschlagen", "rückgängiggemacht"],
  ...["pendiente", "reembolsado", "rechazado", "cancelado", "fallido", "revertido", "enattente", "remboursé", "refusé", "annulé", "échoué"],
  ...[
    "insospeso",
    "rimborsato",
    "rifiutato",
    "annullato",
    "возврат",
    "возвращено",
    "возвращен",
    "отменено",
    "отменен",
    "ожидание",
    "вожидании",
  ],
  ...["отклонено", "отклонен", "ошибка", "неоплачено"],
]);

const yes = new Set(["yes", "y", "true", "1", "x", "✓", "✔", "ใช่", "ja", "oui", "si", "sí", "да"]);
const no = new Set(["", "no", "n", "false", "0", "-", "ไม่", "ไม่ใช่", "nein", "non", "нет"]);

const incoming = new Set(["cr", "credit", "in", "ฝาก", "เข้า", "เงินเข้า", "เงินฝาก"]);
const outgoing = new Set(["dr", "debit", "out", "ถอน", "ออก", "เงินออก", "เงินถอน"]);

/** By the plain name of the column and the word in it. Null for a word that says neither. */
export function isPaid(column: string, status: string): boolean | null {
  const text = status.trim().normalize("NFC").toLowerCase();
  const answer = yes.has(text) ? true : no.has(text) ? false : null;
  if (answer !== null && refundNames.includes(column)) return !answer;
  if (answer !== null && text !== "" && paymentNames.includes(column)) return answer;
  const word = text.replace(/[^\p{L}\p{M}\p{N}]/gu, "");
  const [good, bad] = directionNames.includes(column) ? [incoming, outgoing] : [paid, unpaid];
  return good.has(word) ? true : bad.has(word) ? false : null;
}
