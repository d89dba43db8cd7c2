// The samples of a guide, for its translation: they are written once.

/** Each block of code of a guide, with the notes of what it prints, in order. */
export function samplesOf(markdown: string): string[] {
  return (markdown.match(/^```.*\n[\s\S]*?^```\n(?:<!-- prints: .* -->\n)*/gm) ?? []).map((sample) => sample.trimEnd());
}

/** Values of `{{sample}}`: the samples, one after the other. Throws an Error that names the translation when one is missing or left over. */
export function sampleValues(name: string, original: string): { next: () => string; end: () => void } {
  const samples = samplesOf(original);
  let taken = 0;
  const fault = (words: string) =>
    new Error(`src/docs/guides/${name}.md has ${words} {{sample}} than the original has samples (${samples.length})`);
  return {
    next: () => {
      const sample = samples[taken++];
      if (sample === undefined) throw fault("more");
      return sample;
    },
    end: () => {
      if (taken < samples.length) throw fault("fewer");
    },
  };
}
