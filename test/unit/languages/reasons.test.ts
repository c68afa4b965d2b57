import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problems } from '../../../src/platform/languages/en.ts';
import { type ReasonCode, reasonOf, reasons, say } from '../../../src/platform/languages/reasons.ts';
import { refusals } from '../../../src/platform/languages/refusals.ts';
import { rules } from '../../../src/platform/languages/rules.ts';
import { templateParts, visitNodes } from '../../support/syntax.ts';

const CODES = Object.keys(reasons) as ReasonCode[];
const SOURCE = new URL('../../../src/', import.meta.url);
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const textOf = (file: string): string => readFileSync(new URL(file, SOURCE), 'utf8');

/** What no client of the API reads: commands, settings of the process, texts for visitors. */
const ELSEWHERE =
  /^(operations\/|platform\/(languages|migrations|embedded|core\/(config|identifiers|mongodb-uri))|[^/]*$)/;
/** Reasons that are stored as a text, for the file of rejected lines and the list of a change. */
const STORED = ['is refused', 'was erased'];
const PROBLEM = /^(must|is|has|needs|was|does|may|cannot) /;
const ERRORS =
  /^(AppError|Conflict|Forbidden|Gone|InvalidInput|NotFound|PreconditionFailed|TooLarge|TooManyRequests|Un\w+)$/;

describe('the reasons', () => {
  it('have one code for each text, and one text for each code', () => {
    expect(CODES).toHaveLength([problems, rules, refusals].flatMap((texts) => Object.keys(texts)).length);
    const texts = CODES.map((code) => JSON.stringify(reasons[code]));
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  it('have short codes in lower camel case', () => {
    expect(CODES.filter((code) => !/^[a-z][a-zA-Z0-9]{0,29}$/.test(code))).toEqual([]);
  });

  it('are all used', () => {
    const used = new Set<string>();
    for (const file of files.filter((one) => !/^platform\/languages\/(en|rules|refusals|\w\w)\.ts$/.test(one))) {
      visitNodes(file, textOf(file), (node) => {
        if (node.type === 'Literal' && typeof node.value === 'string') used.add(node.value);
        // `${subject}NotJson`, of a body and of a line.
        if (node.type === 'TemplateLiteral') {
          const [before = '', after = ''] = templateParts(node);
          if (before === '') for (const subject of ['body', 'line']) used.add(subject + after);
        }
        return true;
      });
    }
    expect(CODES.filter((code) => !used.has(code))).toEqual([]);
  });

  it('are the only texts of errors and problems: no other file of the API has one', () => {
    const found = files.filter((file) => !ELSEWHERE.test(file)).flatMap(sentencesOf);
    expect(found.filter((text) => !STORED.includes(text))).toEqual([]);
  });

  it('are said with numbers as JSON writes them, and with the form of a plural', () => {
    expect(say('otherCountErased', { count: 1 })).toEqual({
      message: '1 record matches; nothing was erased',
      code: 'otherCountErased',
      params: { count: 1 },
    });
    expect(say('otherCountErased', { count: 12_345 }).message).toBe('12345 records match; nothing was erased');
    expect(reasonOf('notFound')).toEqual({ message: 'Not found', code: 'notFound' });
  });

  it('need the values of their text', () => {
    // @ts-expect-error The text has `{max}`.
    say('memberLimit');
    // @ts-expect-error The text has `{max}`.
    say('memberLimit', { min: 1 });
    // @ts-expect-error The text has no value.
    say('notFound', { max: 1 });
    expect(say('memberLimit', { max: 50 }).message).toBe('An app has at most 50 members');
  });
});

/** The sentences in a file that look like a problem, or that an error is created with. */
function sentencesOf(file: string): string[] {
  const found: string[] = [];
  visitNodes(file, textOf(file), (node, parents) => {
    if (node.type === 'ImportDeclaration' || node.type === 'TSLiteralType') return false;
    const text =
      node.type === 'TemplateLiteral' ? templateParts(node).join('{}') : node.type === 'Literal' && node.value;
    if (typeof text !== 'string' || !/[a-z] /i.test(text)) return true;
    const isThrown = parents.slice(0, 4).some(({ type, callee }) => {
      return type === 'NewExpression' && ERRORS.test(String((callee as { name?: string }).name));
    });
    if (isThrown || PROBLEM.test(text)) found.push(text);
    return true;
  });
  return found;
}
