// What an erasure takes and what it leaves, in words.

import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";

const goes: Bilingual = {
  th: "ชื่อ (หน้าเว็บจะแสดงว่าไม่ประสงค์ออกนาม ไฟล์และแอปได้ “(erased)” วิดเจ็ตไม่แสดง) ข้อความ ตัวระบุ เสียงอ่าน บันทึกข้างโดเนทที่เป็นโมฆะ และสิ่งที่ค้นหาได้",
  en: "The name (pages show “anonymous”, files and programs get “(erased)”; widgets leave the donator out), messages, the identifier, speech, notes beside void donations, and what a search finds.",
};
const stays: Bilingual = {
  th: "จำนวนเงิน เวลา และช่องทาง ยอดรวม รายงาน และเป้าหมายเท่าเดิม",
  en: "Amounts, times and channels: totals, reports and the goal are the same as before.",
};
const lasts: Bilingual = {
  th: "ย้อนกลับไม่ได้ ถ้ากู้คืนข้อมูลสำรองที่เก่ากว่า ระบบจะลบซ้ำตามสมุดบันทึกการลบ ซึ่งไม่มีชื่อใคร",
  en: "It can't be undone. When an older backup is restored, the server erases again: its journal of erasures, which has no names, tells it what.",
};
const elsewhere: Bilingual = {
  th: "ไฟล์ที่คุณส่งออกไว้และแอปที่ได้รับโดเนทไปแล้วไม่ถูกลบ แอปที่รับเหตุการณ์จะได้รับแจ้งให้ลบสำเนา",
  en: "Files that you have exported and programs that got the donations keep their copies. Programs that follow your events are told to erase theirs.",
};

export const effects: Html = html`<dl>
<div><dt>${bilingual({ th: "ถูกลบ", en: "Goes" })}</dt><dd>${bilingual(goes)}</dd></div>
<div><dt>${bilingual({ th: "ยังอยู่", en: "Stays" })}</dt><dd>${bilingual(stays)}</dd></div>
<div><dt>${bilingual({ th: "ถาวร", en: "For good" })}</dt><dd>${bilingual(lasts)}</dd></div>
<div><dt>${bilingual({ th: "ที่อื่น", en: "Elsewhere" })}</dt><dd>${bilingual(elsewhere)}</dd></div>
</dl>`;
