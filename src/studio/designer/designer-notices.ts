// Notices of the alert designer.

import { fileCount, fileSize, totalSize } from "./file-limits.ts";

export const designerNotices = {
  "variation-saved": { good: true, words: { th: "บันทึกรูปแบบแล้ว", en: "Variation saved." } },
  "variation-deleted": { good: true, words: { th: "ลบรูปแบบแล้ว", en: "Variation deleted." } },
  "variation-moved": { good: true, words: { th: "เปลี่ยนลำดับแล้ว", en: "Order changed." } },
  "designer-changed": {
    good: false,
    words: {
      th: "รายการถูกแก้จากที่อื่น ยังไม่ได้เปลี่ยนอะไร ลองใหม่อีกครั้ง",
      en: "The list was changed elsewhere. Nothing was changed here; try again.",
    },
  },
  "variation-changed": {
    good: false,
    words: {
      th: "รูปแบบนี้ถูกแก้หรือลบจากที่อื่นแล้ว จึงยังไม่ได้บันทึก สิ่งที่กรอกยังอยู่ที่นี่ กดบันทึกเพื่อเพิ่มเป็นรูปแบบใหม่",
      en: "This variation was changed or deleted elsewhere, so nothing was saved. What you typed is still here: Save adds it as a new variation.",
    },
  },
  "no-variation": { good: false, words: { th: "ไม่พบรูปแบบนี้", en: "Variation not found." } },
  "file-added": { good: true, words: { th: "อัปโหลดแล้ว เลือกใช้ได้ในรูปแบบ", en: "File uploaded. Choose it in a variation." } },
  "file-attached": {
    good: true,
    words: { th: "อัปโหลดและเลือกไฟล์แล้ว กดบันทึกเพื่อใช้", en: "File uploaded and chosen. Save to keep the choice." },
  },
  "file-not-uploaded": {
    good: false,
    words: {
      th: "ยังไม่ได้บันทึก เพราะไฟล์ที่เลือกยังไม่ได้อัปโหลด เลือกไฟล์อีกครั้งแล้วกดอัปโหลดก่อน",
      en: "Not saved: the file that you chose was not uploaded. Choose it again, press Upload, then save.",
    },
  },
  "file-deleted": { good: true, words: { th: "ลบไฟล์แล้ว", en: "File deleted." } },
  "file-in-use": { good: false, words: { th: "รูปแบบหนึ่งยังใช้ไฟล์นี้อยู่", en: "A variation uses this file. Choose another one there first." } },
  "no-media": { good: false, words: { th: "ไม่พบไฟล์นี้", en: "File not found." } },
  "file-empty": { good: false, words: { th: "ไฟล์ว่างเปล่า", en: "The file is empty." } },
  "file-too_large": { good: false, words: { th: `ไฟล์ใหญ่เกิน ${fileSize}`, en: `The file is larger than ${fileSize}.` } },
  "file-no_room": {
    good: false,
    words: {
      th: `ที่เก็บเต็ม (${totalSize} หรือ ${fileCount} ไฟล์) ลบไฟล์ที่ไม่ใช้ก่อน`,
      en: `No room left (${totalSize} or ${fileCount} files). Delete files that you don't use.`,
    },
  },
  "file-unsupported": {
    good: false,
    words: {
      th: "ใช้ไฟล์ชนิดนี้ไม่ได้ ใช้ได้เฉพาะ JPEG, PNG, WebP, GIF, WebM, WAV, MP3, M4A และ Ogg",
      en: "This type of file is not accepted, whatever its name is. Use JPEG, PNG, WebP, GIF, WebM, WAV, MP3, M4A or Ogg.",
    },
  },
  "file-broken": {
    good: false,
    words: {
      th: "ไฟล์เสียหาย หรือมีข้อมูลอื่นต่อท้าย",
      en: "The file is damaged, or there is something else in it. Save it again with another program.",
    },
  },
  "file-active_content": {
    good: false,
    words: { th: "ไฟล์มีโค้ดซ่อนอยู่", en: "There is code in the file. Save it again without its comments and metadata." },
  },
  "file-too_many_pixels": {
    good: false,
    words: {
      th: "ภาพใหญ่เกินไป ได้ไม่เกิน 16.7 ล้านพิกเซล",
      en: "The image has too many pixels or frames: at most 4096 × 4096 pixels, 8192 on a side, 2000 frames.",
    },
  },
} as const;
