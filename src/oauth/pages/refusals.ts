// Pages for requests that lead nowhere.

import type { Site } from "../../http/base-url.ts";
import { errorPage } from "../../ui/error-page.ts";

const brokenLink = {
  title: { th: "ลิงก์จากแอปนี้ใช้ไม่ได้", en: "This application's link does not work" },
  advice: {
    th: "เราไม่ได้ส่งข้อมูลใดๆ ออกไป โปรดแจ้งผู้พัฒนาแอป",
    en: "Nothing was sent anywhere. Tell the developer of the application.",
  },
};

export function unknownClientPage({ brand }: Site): string {
  return errorPage({ ...brokenLink, brand, detail: "client_id is missing, or no client has it." });
}

export function unknownRedirectPage({ brand }: Site): string {
  return errorPage({
    ...brokenLink,
    brand,
    detail: "redirect_uri is none that this client has registered; it may be left out when there is exactly one.",
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
    title: { th: "หน้านี้หมดอายุแล้ว", en: "This page is out of date" },
    advice: {
      th: "กลับไปที่แอปหรือหน้าก่อนหน้า โหลดใหม่ แล้วลองอีกครั้ง (ต้องเปิดใช้คุกกี้ในเบราว์เซอร์)",
      en: "Go back to the application or the page before, load it anew and try again. The browser must accept cookies.",
    },
  });
}

export function foreignFormPage({ brand }: Site): string {
  return errorPage({
    brand,
    title: { th: "ปฏิเสธคำขอจากเว็บไซต์อื่น", en: "A request from another site was refused" },
    advice: { th: "ไม่มีอะไรเปลี่ยนแปลง คุณปิดหน้านี้ได้", en: "Nothing was changed. You can close this page." },
  });
}
