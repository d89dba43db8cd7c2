// Starts Scalar with everything off that would ask another origin: fonts, telemetry, proxy, assistant, its own services.

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const place = document.querySelector("#reference");

globalThis.Scalar.createApiReference(place, {
  url: new URL(place.dataset.document, document.baseURI).href,
  // "Test request" asks the server that this page came from, by whatever name: the Content-Security-Policy lets it ask no other.
  servers: [{ url: new URL("..", document.baseURI).href.replace(/\/$/, "") }],
  // One field that takes an API key as well as an access token. Nothing of it is kept.
  authentication: {
    preferredSecurityScheme: "Credential",
    securitySchemes: { Credential: { type: "http", scheme: "bearer", token: "" } },
  },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  theme: "none",
  hideDarkModeToggle: true,
  forceDarkModeState: theme(),
  documentDownloadType: "direct",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
});

// Scalar reads its theme only when it starts, and shows it by one of two classes of the body.
document.addEventListener("themechange", showTheme);
systemIsDark.addEventListener("change", showTheme);

function showTheme() {
  document.body.classList.toggle("dark-mode", theme() === "dark");
  document.body.classList.toggle("light-mode", theme() === "light");
}

function theme() {
  return document.documentElement.dataset.theme ?? (systemIsDark.matches ? "dark" : "light");
}
