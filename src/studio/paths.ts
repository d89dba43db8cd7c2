// The paths of the studio's pages and forms.

export const paths = {
  alerts: "/studio",
  queue: "/studio/queue",
  control: "/studio/control",
  replay: "/studio/replay",
  test: "/studio/test",
  overlay: "/studio/overlay",
  settings: "/studio/settings",
  keys: "/studio/keys",
  revokeKey: "/studio/keys/revoke",
  script: "/studio/studio.js",
} as const;
