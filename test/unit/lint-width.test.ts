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
    expect(lint('src/a.ts', comment)).toMatchObject(ok);
    expect(lint('src/a.ts', `{\n ${comment}\n}`)).toMatchObject({ status: 1, lines: ['src/a.ts:2'] });
  });

  it.each([
    ['beside code', `let a;\nlet b; // ${words}\n`, 2],
    ['in a block', `/*\n * short\n * ${words}\n */\n`, 3],
    ['after a template literal', `const t = \`\${a.map((b) => \`\${b}\`)}\`;\n// ${words}\n`, 2],
  ])('is checked %s', (_name, source, line) => {
    expect(lint('web/src/a.ts', source)).toMatchObject({ status: 1, lines: [`web/src/a.ts:${line}`] });
  });

  it('does not matter for code, strings, URLs and comments for tools', () => {
    const source = `const t = '// ${words}';\n// ${url}\nlet a;\n// biome-ignore lint/a/b: ${words}\nconst u = \`\n// ${words}\`;\n`;
    expect(lint('src/a.ts', source)).toMatchObject(ok);
  });
});

describe('the width of prose', () => {
  it.each([
    ['a paragraph', `# Title\n\n${words}\n`, 3],
    ['a list item', `1. short\n   ${words}\n`, 2],
    ['a line after a code block', `\`\`\`\n${words}\n\`\`\`\n${words}\n`, 4],
  ])('is checked in %s', (_name, text, line) => {
    expect(lint('notes.md', text)).toMatchObject({ status: 1, lines: [`notes.md:${line}`] });
  });

  it('does not matter for code, tables, headings and links that cannot be broken', () => {
    const text = `# ${words}\n\n| a |\n|---|\n| ${words} |\n\n[a](${url})\n\n\`\`\`sh\n${words}\n\`\`\`\n`;
    expect(lint('a.md', text)).toMatchObject(ok);
  });
});

it('--fix wraps comments and prose, and leaves other lines alone', () => {
  const [first, rest] = [words.slice(0, 19 * 5 - 1), words.slice(19 * 5)];
  const source = `  // ${words}\n  // more\n// - item\ncode();\n`;
  expect(lint('src/a.ts', source, '--fix').text).toBe(`  // ${first}\n  // ${rest} more\n// - item\ncode();\n`);
  const prose = `- ${words}\n  more\n- short\n\n> ${words}\n`;
  expect(lint('a.md', prose, '--fix').text).toBe(`- ${first}\n  ${rest} more\n- short\n\n> ${first}\n> ${rest}\n`);
});
