import fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { cut, oneLine, renderContent, splitLines } from '../../../src/platform/mail/content.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 700 });

describe('the texts of an email', () => {
  it('are one line without control characters in a header', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const line = oneLine(text, 100);
        expect([...line].length).toBeLessThanOrEqual(100);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
    expect(oneLine('Hello\r\nBcc: x@example.com', 100)).toBe('Hello Bcc: x@example.com');
  });

  it('are cut between characters', () => {
    expect(cut('aaa😀', 4)).toBe('aaa😀');
    expect(cut('aaa😀😀', 4)).toBe('aaa…');
    expect(cut('aaaa', 4)).toBe('aaaa');
    expect(splitLines('one\r\ntwo\rthree\u2028four\u0007', 100)).toEqual(['one', 'two', 'three', 'four ']);
  });
});

it('a text of an email has as many characters as a setting may have', () => {
  const subject = '😀'.repeat(150);
  expect(oneLine(subject, 150)).toBe(subject);
  expect(oneLine(`${subject}😀`, 150)).toBe(`${'😀'.repeat(149)}…`);
});

describe('the content of an email', () => {
  it('indents each line of a value, so that none looks like a line of the service', () => {
    const forged = 'x\n\nOpen in the dashboard:\nhttps://evil.example\r\n\u2028Confirm:';
    const { text } = renderContent('New entry', [{ values: [{ name: 'Note', value: forged }] }]);
    const [, , , ...lines] = text.split('\n');
    expect(lines.slice(0, -1).every((line) => line.startsWith('    '))).toBe(true);
    expect(text).toContain('    https://evil.example');
  });

  it('has no element and no link of a value, whatever it is', () => {
    const shape = (value: string, name = value): string => {
      const { html } = renderContent('New entry', [
        { text: 'Of the form' },
        { values: [{ name, value }] },
        { link: 'https://forms.example.com/dashboard/users', label: 'Open' },
      ]);
      return namesIn(parseDocument(html).children);
    };
    const plain = shape('plain');
    fc.assert(
      fc.property(anyText, (value) => {
        expect(shape(value)).toBe(plain);
      }),
    );
    for (const value of [
      '<script>alert(1)</script>',
      '"><img src=x>',
      '</p></div>',
      'https://evil.example',
      '<a href="x">',
    ]) {
      expect(shape(value)).toBe(plain);
    }
  });
});

interface Node {
  type: string;
  name?: string;
  attribs?: Record<string, string>;
  children?: unknown[];
}

/** The elements with the names of their attributes, and the addresses of links. */
function namesIn(nodes: readonly unknown[]): string {
  return (nodes as Node[])
    .filter(({ name }) => name !== undefined)
    .map(({ name, attribs = {}, children = [] }) => {
      const attributes = Object.entries(attribs).map(([key, value]) => (key === 'href' ? `${key}=${value}` : key));
      return `<${name} ${attributes.join(' ')}>${namesIn(children)}`;
    })
    .join('');
}
