// Notices of the page with the settings of a widget.

export const widgetNotices = {
  "widget-saved": {
    good: true,
    words: {
      th: "บันทึกแล้ว วิดเจ็ตที่เปิดอยู่ใน OBS จะเปลี่ยนตามภายในหนึ่งถึงสองวินาที",
      en: "Saved. The widget that is open in OBS follows within a second or two.",
    },
  },
  "widget-changed": {
    good: false,
    words: {
      th: "การตั้งค่านี้ถูกแก้จากที่อื่น จึงยังไม่ได้บันทึก สิ่งที่กรอกยังอยู่ที่นี่ กดบันทึกเพื่อใช้แทนค่าที่เก็บอยู่",
      en: "These settings were changed elsewhere, so nothing was saved. What you typed is still here: Save replaces what is stored.",
    },
  },
} as const;
