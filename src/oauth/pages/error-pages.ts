// Pages for requests that lead nowhere.

import type { Site } from "../../http/base-url.ts";
import { errorPage } from "../../ui/layout.ts";

const brokenLink = {
  title: { th: "ลิงก์จากแอปนี้ใช้ไม่ได้", en: "This application's link doesn't work" },
  advice: {
    th: "เราไม่ได้ส่งข้อมูลใดๆ ออกไป โปรดแจ้งผู้พัฒนาแอป",
    en: "We sent no data anywhere. Please tell the application's developer.",
  },
};

export function unknownClientPage({ brand }: Site): string {
  return errorPage({ ...brokenLink, brand, detail: "client_id is missing or unknown." });
}

export function unknownRedirectPage({ brand }: Site): string {
  return errorPage({
    ...brokenLink,
    brand,
    detail: "redirect_uri is not registered for this client. It may be left out only when exactly one is registered.",
  });
}

export function repeatedPage({ brand }: Site, name: string): string {
  return errorPage({ ...brokenLink, brand, detail: `${name} must not be repeated.` });
}

/** For the errors that a client is told by redirect, where the browser must not be sent. */
export function faultyRequestPage({ brand }: Site, detail: string): string {
  return errorPage({ ...brokenLink, brand, detail });
}

export function outOfDatePage({ brand }: Site): string {
  return errorPage({
    brand,
    title: { th: "หน้านี้หมดอายุแล้ว", en: "This page has expired" },
    advice: {
      th: "กลับไปที่แอปหรือหน้าก่อนหน้า โหลดใหม่ แล้วลองอีกครั้ง (ต้องเปิดใช้คุกกี้ในเบราว์เซอร์)",
      en: "Go back to the application or the previous page, reload it and try again. Cookies must be enabled in your browser.",
    },
  });
}

export function foreignFormPage({ brand }: Site): string {
  return errorPage({
    brand,
    title: { th: "ปฏิเสธคำขอจากเว็บไซต์อื่น", en: "Blocked a request from another site" },
    advice: { th: "ไม่มีอะไรเปลี่ยนแปลง คุณปิดหน้านี้ได้", en: "Nothing has changed. You can close this page." },
  });
}
