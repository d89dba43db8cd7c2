// Texts that try to run as script, markup or SQL, for every page that shows what donators write.

/** Texts that try to run as script, markup or SQL. */
export const injections = [
  `<script>window.ran = 1</script>`,
  `"><img src=x onerror=alert(1)>`,
  `<svg/onload=alert(1)>`,
  `<iframe srcdoc="<script>parent.ran=1</script>">`,
  `<style>*{display:none}</style>`,
  `javascript:alert(1)`,
  `{{constructor.constructor('alert(1)')()}}`,
  `\${alert(1)} \`x\` $&`,
  `&lt;b&gt; &amp; &#x3C;`,
  `</p></div></main><h1>out</h1>`,
  `'; DROP TABLE donations; --`,
  `<a href="//evil.example">x</a><base href=//evil.example>`,
];
