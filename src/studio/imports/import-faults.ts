// What a column of an imported file can be, in words, and what is wrong with a file and its rows. The importer says it in English, in the
// words of the contract; what is not known here is shown as the importer says it.

import type { FileMember } from "../../donations/import/files/columns.ts";
import type { Bilingual, Words } from "../../ui/layout.ts";

export const importMemberLabels: Readonly<Record<FileMember, Words>> = {
  createdAt: { th: "เวลา", en: "Time" },
  donatorName: { th: "ชื่อผู้โดเนท", en: "Donator's name" },
  familyName: { th: "นามสกุล", en: "Family name" },
  isAnonymous: { th: "ไม่ประสงค์ออกนาม", en: "Anonymous" },
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

/** A text of the importer about a row: one fault or several, separated by semicolons, which what is quoted may have as well. */
export function rowFault(text: string): Bilingual {
  const parts = text.split(/; (?=(?:the row|[A-Za-z]+) (?:“|is |must ))/);
  const thai = parts.map(thaiFault);
  return { th: thai.includes(null) ? text : thai.join("; "), en: parts.map(englishFault).join("; ") };
}

/** Where a row is, such as `row 7`. */
export function rowPlace(place: string): Bilingual {
  return {
    th: place
      .replace(/^sheet (\d+), /, "ชีต $1 ")
      .replace(/\brow /, "แถว ")
      .replace(/^line /, "บรรทัด "),
    en: place,
  };
}

/** Why a file can't be read, or why its import has stopped. */
export function fileFault(text: string): Bilingual {
  return { th: translate(fileRules, text) ?? text, en: text };
}

function englishFault(fault: string): string {
  if (fault === keyConflict)
    return "This number of the payment belongs to another donation. To record the donation without its number, choose “Not used” for the column.";
  return fault.replace(/^[A-Za-z]+(?= (?:“|is |must ))/, (member) => labels[member]?.en ?? member);
}

function thaiFault(fault: string): string | null {
  if (fault === keyConflict) return "รหัสรายการนี้เป็นของโดเนทอื่นแล้ว ถ้าต้องการบันทึกโดยไม่มีรหัส ให้เลือก “ไม่ใช้” สำหรับคอลัมน์นี้";
  const [, member = "", quoted = "", rule = ""] = /^(the row|[A-Za-z]+)( “.*?”)? (.*)$/s.exec(fault) ?? [];
  const words = translate(rules, rule);
  return words === null ? null : `${nameOf(member)}${quoted} ${words}`;
}

const labels: Readonly<Record<string, Words>> = importMemberLabels;

function nameOf(member: string): string {
  return member === "the row" ? "แถวนี้" : (labels[member]?.th ?? member);
}

const keyConflict = "This idempotencyKey already belongs to another donation.";

type Rules = readonly (readonly [pattern: RegExp, thai: string])[];

function translate(known: Rules, text: string): string | null {
  const rule = known.find(([pattern]) => pattern.test(text));
  return rule ? text.replace(rule[0], rule[1]) : null;
}

const rules: Rules = [
  [/^is required$/, "ว่างอยู่"],
  [/^must have at least (\d+) characters?$/, "ต้องมีอย่างน้อย $1 ตัวอักษร"],
  [/^must have at most (\d+) characters$/, "ยาวได้ไม่เกิน $1 ตัวอักษร"],
  [/^must be greater than (\S+)$/, "ต้องมากกว่า $1"],
  [/^must be at least (\S+)$/, "ต้องไม่น้อยกว่า $1"],
  [/^must be at most (\S+)$/, "ต้องไม่เกิน $1"],
  [/^must be a (?:whole )?number$/, "ต้องเป็นตัวเลข"],
  [/^must be a string$/, "ต้องเป็นข้อความ"],
  [/^must be a time such as (.+)$/, "ต้องเป็นเวลา เช่น $1"],
  [/^must be one of: (.+)$/, "ต้องเป็นอย่างใดอย่างหนึ่งใน: $1"],
  [/^must have the documented form, such as (.+)$/, "รูปแบบไม่ถูกต้อง ต้องเป็นเช่น $1"],
  [/^must have the documented form$/, "รูปแบบไม่ถูกต้อง"],
  [/^must be named where other rows are not in baht$/, "ต้องระบุ เพราะแถวอื่นไม่ใช่เงินบาท"],
  [/^is in (.+), and only baht is recorded$/, "เป็นเงินสกุล $1 แต่บันทึกได้เฉพาะเงินบาท"],
  [
    /^is (\S+) with a decimal point and (\S+) with a decimal comma, one of which must be chosen$/,
    "เป็น $1 ถ้าใช้จุดเป็นทศนิยม และเป็น $2 ถ้าใช้จุลภาค ต้องเลือกอย่างหนึ่ง",
  ],
  [/^must be a number with the decimal sign that is chosen$/, "ต้องเป็นตัวเลขที่ใช้เครื่องหมายทศนิยมที่เลือกไว้"],
  [/^must be a number with a decimal point$/, "ต้องเป็นตัวเลขที่ใช้จุดเป็นทศนิยม"],
  [/^must be a number with a decimal comma$/, "ต้องเป็นตัวเลขที่ใช้จุลภาคเป็นทศนิยม"],
  [/^must be a number with all its digits$/, "ต้องเป็นตัวเลขที่ครบทุกหลัก"],
  [/^is not shown as an amount in baht by its number format: give it a plain one$/, "ไม่ได้แสดงเป็นจำนวนเงินบาท ให้ใช้รูปแบบตัวเลขธรรมดาในช่องนี้"],
  [/^has a number format in the workbook and must be a text$/, "มีรูปแบบตัวเลขในไฟล์ Excel แต่ต้องเป็นข้อความ"],
  [/^is an error of a formula and must be a text$/, "เป็นข้อผิดพลาดของสูตร แต่ต้องเป็นข้อความ"],
  [/^is a date in the workbook and must be a text$/, "เป็นวันที่ในไฟล์ Excel แต่ต้องเป็นข้อความ"],
  [/^must be in a time zone that is known, such as (.+)$/, "ต้องอยู่ในเขตเวลาที่รู้จัก เช่น $1"],
  [/^must be a time of day such as (.+)$/, "ต้องเป็นเวลาของวัน เช่น $1"],
  [/^must be the time that stands beside the date$/, "ต้องเป็นเวลาเดียวกับที่อยู่ข้างวันที่"],
  [/^must be a date with the day first$/, "ต้องเป็นวันที่ที่ขึ้นต้นด้วยวัน"],
  [/^must be a date with the month first$/, "ต้องเป็นวันที่ที่ขึ้นต้นด้วยเดือน"],
  [/^must be a date with the year first$/, "ต้องเป็นวันที่ที่ขึ้นต้นด้วยปี"],
  [
    /^may have its day and month exchanged by the program that saved the file: write it as a text, such as (.+)$/,
    "อาจถูกโปรแกรมที่บันทึกไฟล์สลับวันกับเดือน ให้เขียนเป็นข้อความ เช่น $1",
  ],
  [/^may begin with the day or with the month, one of which must be chosen$/, "อาจขึ้นต้นด้วยวันหรือเดือน ต้องเลือกอย่างหนึ่ง"],
  [/^must be known as paid, such as (.+), or as unpaid, such as (.+)$/, "ต้องเป็นคำที่รู้จักว่าชำระแล้ว เช่น $1 หรือยังไม่ชำระ เช่น $2"],
  [/^must be known as yes or no$/, "ต้องเป็นใช่หรือไม่ใช่"],
  [/^is a total, not a donation$/, "เป็นยอดรวม ไม่ใช่โดเนท"],
  [/^is a sum of other rows, not a donation$/, "เป็นยอดรวมของแถวอื่น ไม่ใช่โดเนท"],
  [/^is no money: the row is a (“.*”)$/s, "ไม่ใช่จำนวนเงิน เพราะแถวนี้เป็น $1"],
  [/^must not have more cells than the header (“.*”)$/s, "มีช่องมากกว่าหัวตาราง: $1"],
  [/^must not be hidden in the workbook: show it, or delete it$/, "ถูกซ่อนในไฟล์ Excel ให้เลิกซ่อนหรือลบแถวนี้"],
  [
    /^must not be in a column that is hidden in the workbook: show it, or choose another column$/,
    "อยู่ในคอลัมน์ที่ซ่อนไว้ในไฟล์ Excel ให้เลิกซ่อนหรือเลือกคอลัมน์อื่น",
  ],
  [/^is not a member of this body$/, "เป็นข้อมูลที่ไม่รู้จัก"],
];

const notWorkbook = "ไฟล์ไม่ใช่ไฟล์ XLSX ที่ถูกต้อง";

const fileRules: Rules = [
  [/^the file is empty$/, "ไฟล์ว่างเปล่า"],
  [/^the file must be one of (.+), not (.+)$/, "ไฟล์ต้องเป็น $1 ไม่ใช่ $2"],
  [/^the file is an \.xls workbook, or one with a password: .+$/, "ไฟล์เป็น .xls หรือมีรหัสผ่าน ให้เปิดแล้วบันทึกเป็น .xlsx ที่ไม่มีรหัสผ่าน"],
  [/^the file is a PDF: .+$/, "ไฟล์เป็น PDF ให้ขอไฟล์ .xlsx หรือ .csv จากที่ที่ได้มา"],
  [/^the file is a web page or XML: .+$/, "ไฟล์เป็นหน้าเว็บหรือ XML ให้เปิดในโปรแกรมตารางแล้วบันทึกเป็น .xlsx"],
  [/^the file is no XLSX workbook: .+$/, "ไฟล์ไม่ใช่ไฟล์ XLSX ให้เปิดในโปรแกรมที่สร้าง แล้วบันทึกเป็น .xlsx หรือ .csv"],
  [/^the file's letters are those of none of (.+) and (.+): save it as UTF-8$/, "ตัวอักษรในไฟล์ไม่ใช่ $1 หรือ $2 ให้บันทึกเป็น UTF-8"],
  [/^the file says that it is (.+), and (.+) is chosen$/, "ไฟล์ระบุว่าเป็น $1 แต่เลือก $2 ไว้"],
  [/^the file is not (.+), which is chosen$/, "ไฟล์ไม่ใช่ $1 ที่เลือกไว้"],
  [/^line (\d+) has bytes that (.+) lacks: .+$/, "บรรทัด $1 มีตัวอักษรที่ไม่มีใน $2 ไฟล์อาจใช้รหัสตัวอักษรอื่น"],
  [/^line (\d+): a cell is longer than (\d+) KiB: its quotes are wrong$/, "บรรทัด $1: ช่องยาวเกิน $2 KiB เครื่องหมายคำพูดไม่ถูกต้อง"],
  [/^line (\d+): its quotes are wrong$/, "บรรทัด $1: เครื่องหมายคำพูดไม่ถูกต้อง"],
  [/^the workbook has no sheets$/, "ไฟล์ Excel ไม่มีชีต"],
  [/^the workbook has no sheet "(.*)"; there are (.+)$/s, "ไฟล์ Excel ไม่มีชีต “$1” มี $2"],
  [/^the workbook has too many styles$/, "ไฟล์ Excel มีรูปแบบมากเกินไป"],
  [/^the workbook has more than ([\d,]+) parts$/, "ไฟล์ Excel มีมากกว่า $1 ส่วน"],
  [
    /^the workbook is damaged: .+$|^the workbook lacks its part “.*”$|^row \d+ has a text that the workbook lacks$/s,
    "ไฟล์ Excel เสียหาย ให้ดาวน์โหลดหรือบันทึกไฟล์ใหม่อีกครั้ง",
  ],
  [/^the workbook needs more than (\d+) MiB of memory$/, "ไฟล์ Excel ใช้หน่วยความจำเกิน $1 MiB"],
  [/^the workbook was not read within (\d+) seconds$/, "อ่านไฟล์ Excel ไม่เสร็จใน $1 วินาที"],
  [/^row (\d+) has a formula without its value: .+$/, "แถว $1 มีสูตรที่ไม่มีผลลัพธ์ ให้เปิดไฟล์ในโปรแกรมตารางแล้วบันทึกใหม่"],
  [/^the workbook is larger than ([\d.]+) MiB when it is unpacked$/, "ไฟล์ Excel ใหญ่เกิน $1 MiB เมื่อคลายออก"],
  [
    /^the workbook has too many cells and texts: divide it, or save it as \.csv$/,
    "ไฟล์ Excel มีเซลล์และข้อความมากเกินไป แบ่งเป็นหลายไฟล์ หรือบันทึกเป็น .csv",
  ],
  [/^the workbook has more than ([\d,]+) sheets$/, "ไฟล์ Excel มีมากกว่า $1 ชีต"],
  [
    /^the workbook's XML nests too deep$|^an element of the workbook has too many attributes$|^a sheet has no (?:row|cell) “.*”$/s,
    notWorkbook,
  ],
  [/^a cell is longer than ([\d,]+) characters$/, "มีช่องที่ยาวเกิน $1 ตัวอักษร"],
  [/^row (\d+) has more than ([\d,]+) columns$/, "แถว $1 มีมากกว่า $2 คอลัมน์"],
  [/^the file has more than (\d+) columns$/, "ไฟล์มีมากกว่า $1 คอลัมน์"],
  [/^line (\d+) is longer than (\d+) KiB$/, "บรรทัด $1 ยาวเกิน $2 KiB"],
  [/^the file has more than ([\d,]+) rows$/, "ไฟล์มีมากกว่า $1 แถว"],
  [/^the server was stopped; import the file again$/, "เซิร์ฟเวอร์หยุดทำงาน โปรดนำเข้าไฟล์อีกครั้ง"],
  [/^the workbook has several sheets with donations: choose one$/, "ไฟล์มีหลายชีตที่อาจเป็นรายการโดเนท: เลือกชีต"],
  [/^the dates may begin with the day, the month or the year: choose the order of dates$/, "วันที่อาจขึ้นต้นด้วยวัน เดือน หรือปี: เลือกลำดับของวันที่"],
  [
    /^a comma or a point in the amounts may separate thousands or decimals: choose the decimal sign$/,
    "จุลภาคหรือจุดในจำนวนเงินอาจคั่นหลักพันหรือทศนิยม: เลือกเครื่องหมายทศนิยม",
  ],
  [
    /^row (\d+) has an amount where the titles of the columns must be: write titles above it$/,
    "แถว $1 มีจำนวนเงินตรงที่ต้องเป็นชื่อคอลัมน์ ให้เพิ่มแถวชื่อคอลัมน์ไว้ข้างบน",
  ],
  [/^no column is chosen for (.+)$/, "ยังไม่ได้เลือกคอลัมน์ของ $1"],
  [/^Something went wrong on our side\.$/, "เกิดข้อผิดพลาดฝั่งเรา"],
];
