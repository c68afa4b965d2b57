import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const script = join(import.meta.dirname, '..', '..', 'scripts', 'lint-width.mjs');
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Runs the check on one file of a new project; returns what it printed and the file afterwards. */
function lint(file: string, text: string, ...options: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'lint-width-'));
  folders.push(folder);
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
  const { status, stdout } = spawnSync(process.execPath, [script, folder, ...options], { encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n'), text: readFileSync(join(folder, file), 'utf8') };
}

const ok = { status: 0, lines: [''] };
/** 25 words: 124 columns. */
const words = Array.from({ length: 25 }, () => 'word').join(' ');
const url = `https://example.com/${'a'.repeat(100)}`;

describe('the width of comments', () => {
  it('is at most 100 columns, indentation included', () => {
    const comment = `// ${'x '.repeat(48)}x`;
    expect(comment).toHaveLength(100);
    expect(lint('src/a.ts', comment)).toMatchObject(ok);
    expect(lint('src/a.ts', `{\n ${comment}\n}`)).toMatchObject({ status: 1, lines: ['src/a.ts:2'] });
  });

  it.each([
    ['a line comment', `let a;\n// ${words}\n`, 2],
    ['one beside code', `let a;\nlet b; // ${words}\n`, 2],
    ['a block', `/*\n * short\n * ${words}\n */\n`, 3],
    ['a docstring on one line', `/** ${words} */\n`, 1],
    ['one after a regular expression with quotes', `const r = /["'\`]/;\n// ${words}\n`, 2],
    ['one in an expression of a template literal', `const t = \`\${\n// ${words}\n1}\`;\n`, 2],
    ['one after a template literal', `const t = \`\${a.map((b) => \`\${b}\`)}\`;\n// ${words}\n`, 2],
  ])('is checked in %s', (_name, source, line) => {
    expect(lint('src/a.ts', source)).toMatchObject({ status: 1, lines: [`src/a.ts:${line}`] });
  });

  it.each([
    ['code', `const text = '${words}';\n`],
    ['strings', `const text = '// ${words}';\n`],
    ['template literals', `const text = \`\n// ${words}\n\`;\n`],
    ['URLs in comments', `// ${url}\n/** ${url} */\n`],
    ['comments for tools', `// biome-ignore lint/a/b: ${words}\n`],
  ])('does not matter for %s', (_name, source) => {
    expect(lint('src/a.ts', source)).toMatchObject(ok);
  });

  it.each(['src/a.ts', 'web/src/a.tsx', 'test/a/b.ts', 'scripts/a.mjs'])('is checked in %s', (file) => {
    expect(lint(file, `// ${words}\n`).status).toBe(1);
  });

  it('is not checked in packages and built files', () => {
    expect(lint('node_modules/a/README.md', words)).toMatchObject(ok);
    expect(lint('dist/a.mjs', `// ${words}`)).toMatchObject(ok);
  });
});

describe('the width of prose', () => {
  it.each([
    ['a paragraph', `# Title\n\n${words}\n`, 3],
    ['a list item', `- ${words}\n`, 1],
    ['a paragraph of a list item', `10. short\n\n    ${words}\n`, 3],
    ['the second line of a list item', `1. short\n   ${words}\n`, 2],
    ['a quote', `> ${words}\n`, 1],
    ['a line after a code block', `\`\`\`\n${words}\n\`\`\`\n${words}\n`, 4],
  ])('is checked in %s', (_name, text, line) => {
    expect(lint('notes.md', text)).toMatchObject({ status: 1, lines: [`notes.md:${line}`] });
  });

  it.each([
    ['code blocks', `\`\`\`sh\n${words}\n\`\`\`\n`],
    ['indented code', `Text\n\n    ${words}\n`],
    ['tables', `| a |\n|---|\n| ${words} |\n`],
    ['headings', `# ${words}\n`],
    ['HTML', `<p>\n${words}\n</p>\n`],
    ['link definitions', `[a]: ${url} "${words}"\n`],
    ['links that cannot be broken', `[a](${url})\n`],
  ])('does not matter for %s', (_name, text) => {
    expect(lint('a.md', text)).toMatchObject(ok);
  });
});

describe('--fix', () => {
  const first = Array.from({ length: 19 }, () => 'word').join(' ');
  const rest = Array.from({ length: 6 }, () => 'word').join(' ');

  it('wraps line comments and leaves other paragraphs, lists and columns alone', () => {
    const kept = ['// short', '//', '// - item', '//   --option  meaning', 'code();'].join('\n');
    const { status, text } = lint('src/a.ts', `  // ${words}\n  // more\n${kept}\n`, '--fix');
    expect(status).toBe(0);
    expect(text).toBe(`  // ${first}\n  // ${rest} more\n${kept}\n`);
  });

  it('wraps docstrings, each tag with a hanging indent', () => {
    const { status, text } = lint('src/a.ts', `/** Text. @param a ${words} @throws {Error} */\nf();\n`, '--fix');
    expect(status).toBe(0);
    expect(text.split('\n')).toEqual([
      '/**',
      ' * Text.',
      ` * @param a ${words.slice(0, 17 * 5 - 1)}`,
      ` *   ${words.slice(17 * 5)}`,
      ' * @throws {Error}',
      ' */',
      'f();',
      '',
    ]);
  });

  it('reports comments beside code, and does not change them', () => {
    const source = `let b; // ${words}\n`;
    expect(lint('src/a.ts', source, '--fix')).toEqual({ status: 1, lines: ['src/a.ts:1'], text: source });
  });

  it('wraps prose with the indentation of its list or quote', () => {
    const { status, text } = lint('a.md', `- ${words}\n  more\n- short\n\n> ${words}\n> more\n`, '--fix');
    expect(status).toBe(0);
    expect(text).toBe(`- ${first}\n  ${rest} more\n- short\n\n> ${first}\n> ${rest} more\n`);
  });

  it('begins no line with what Markdown would take for a list, a heading or a quote', () => {
    for (const mark of ['-', '1.', '#', '>', '+']) {
      const { text } = lint('a.md', `${first}-long ${mark} ${rest}\n`, '--fix');
      expect(text).toBe(`${first.slice(0, -5)}\nword-long ${mark} ${rest}\n`);
    }
  });

  it('keeps inline code on one line, and hard breaks', () => {
    const { text } = lint('a.md', `${first} \`a b c\` d\n`, '--fix');
    expect(text).toBe(`${first}\n\`a b c\` d\n`);
    const hard = `${words}  \nmore\n`;
    expect(lint('a.md', hard, '--fix')).toMatchObject({ status: 1, text: hard });
  });
});
