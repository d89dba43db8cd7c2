// A copy button for each block of code. Browsers without a clipboard (no https, no localhost) show none.

if (navigator.clipboard) for (const block of document.querySelectorAll(".code")) block.append(copyButton(block));

function copyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  say("Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    say("Copied");
    setTimeout(() => say("Copy"), 2000);
  });
  return button;

  function say(text) {
    button.textContent = text;
  }
}
