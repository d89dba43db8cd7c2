// A copy button for each block of code. Browsers without a clipboard (no https, no localhost) show none.

const { lang } = document.documentElement;
const words = lang === "th" ? { copy: "คัดลอก", copied: "คัดลอกแล้ว" } : { copy: "Copy", copied: "Copied" };

if (navigator.clipboard) for (const block of document.querySelectorAll(".code")) block.append(copyButton(block));

function copyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.lang = lang;
  say(words.copy);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    say(words.copied);
    setTimeout(() => say(words.copy), 2000);
  });
  return button;

  function say(text) {
    button.textContent = text;
  }
}
