// Names of themes, positions and movements.

import type { Schemas } from "../../http/operations.ts";
import type { Bilingual } from "../../ui/layout.ts";
import type { TextName } from "./variation-form.ts";

export const themeNames: Readonly<Record<Schemas["AlertTheme"], Readonly<{ th: string; en: string }>>> = {
  namjai: { th: "น้ำใจ", en: "Namjai" },
  neon: { th: "นีออน", en: "Neon" },
  paper: { th: "กระดาษโน้ต", en: "Paper" },
  pixel: { th: "พิกเซล", en: "Pixel" },
  glass: { th: "กระจกใส", en: "Glass" },
  ribbon: { th: "แถบข่าว", en: "Ribbon" },
  gold: { th: "กรอบทอง", en: "Gold" },
  plain: { th: "ตัวอักษรล้วน", en: "Plain text" },
};

export const positionNames: Readonly<Record<Schemas["AlertPosition"], Bilingual>> = {
  top_left: { th: "บนซ้าย", en: "Top left" },
  top: { th: "บน", en: "Top" },
  top_right: { th: "บนขวา", en: "Top right" },
  left: { th: "ซ้าย", en: "Left" },
  center: { th: "กลาง", en: "Centre" },
  right: { th: "ขวา", en: "Right" },
  bottom_left: { th: "ล่างซ้าย", en: "Bottom left" },
  bottom: { th: "ล่าง", en: "Bottom" },
  bottom_right: { th: "ล่างขวา", en: "Bottom right" },
};

export const animationNames: Readonly<Record<Schemas["AlertAnimation"], Bilingual>> = {
  theme: { th: "ตามธีม", en: "As the theme has it" },
  fade: { th: "จาง", en: "Fade" },
  slide_up: { th: "เลื่อนขึ้นจากล่าง", en: "From below" },
  slide_down: { th: "เลื่อนลงจากบน", en: "From above" },
  slide_left: { th: "เลื่อนจากซ้าย", en: "From the left" },
  slide_right: { th: "เลื่อนจากขวา", en: "From the right" },
  zoom: { th: "ขยาย", en: "Zoom" },
  bounce: { th: "กระดอน", en: "Bounce" },
  flip: { th: "พลิก", en: "Flip" },
  none: { th: "ทันที", en: "At once" },
};

export const fieldLabels: Readonly<Record<TextName, Bilingual>> = {
  name: { th: "ชื่อรูปแบบ", en: "Name" },
  from: { th: "ตั้งแต่ (บาท)", en: "From (baht)" },
  to: { th: "ถึง (บาท)", en: "To (baht)" },
  seconds: { th: "แสดงกี่วินาที", en: "Seconds on screen" },
  template: { th: "ข้อความแจ้งเตือน", en: "Text" },
  image: { th: "ภาพ", en: "Image" },
  sound: { th: "เสียง", en: "Sound" },
  voice: { th: "เสียงอ่าน", en: "Voice" },
  theme: { th: "ธีม", en: "Theme" },
  position: { th: "ตำแหน่ง", en: "Position" },
  size: { th: "ขนาด (%)", en: "Size (%)" },
  fontSize: { th: "ขนาดตัวอักษร (%)", en: "Font size (%)" },
  cardColor: { th: "สีการ์ด", en: "Card colour" },
  textColor: { th: "สีตัวอักษร", en: "Text colour" },
  accentColor: { th: "สีเน้น", en: "Accent colour" },
  secondColor: { th: "สีจำนวนเงิน", en: "Amount colour" },
  enter: { th: "ตอนเข้า", en: "Entrance" },
  leave: { th: "ตอนออก", en: "Exit" },
  sample: { th: "ข้อความตัวอย่าง", en: "Sample text" },
};
