// A donation as callers send them.

export const body = {
  donatorName: "คุณสมชาย ใจดี",
  amount: 99.5,
  currency: "THB",
  message: 'สู้ ๆ นะครับ, "have a nice stream"',
  identifier: "somchai@example.com",
  idempotencyKey: "order-2025-000123",
  skipAlert: false,
  createdAt: "2025-06-01T20:15:00+07:00",
} as const;
