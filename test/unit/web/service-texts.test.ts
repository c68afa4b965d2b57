import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FIELD_KINDS } from '../../../src/fields/kinds/registry.ts';
import { service } from '../../../web/src/texts/de/service.ts';
import { translator } from '../../../web/src/texts/service.ts';
import { templateParts, visitNodes } from '../../support/syntax.ts';

const SOURCE = new URL('../../../src/', import.meta.url);
/** What a dashboard never shows: commands, entries, settings of the process, other languages. */
const ELSEWHERE = /^(operations\/|platform\/(languages|migrations|embedded|core\/config)|[^/]*$)/;
const ERRORS = /^(Conflict|NotFound|Forbidden|Invalid\w*|Unavailable|AppError|TooManyRequests|Unauthorized)$/;
const PROBLEM = /^(must|is|has|needs|was|does|may|cannot) /;

describe('the texts of the service', () => {
  it('have a German message for each that the service sends', () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
    const found = files.filter((file) => file.endsWith('.ts') && !ELSEWHERE.test(file)).flatMap(messagesOf);
    expect(found.length).toBeGreaterThan(250);
    expect([...new Set(found)].filter((message) => !Object.hasOwn(service, message))).toEqual([]);
  });

  it('have a German name for each kind of field and each of its options', () => {
    const options = FIELD_KINDS.flatMap((kind) => [...Object.values(kind.options), ...Object.values(kind.formOptions)]);
    const names = [
      ...FIELD_KINDS.flatMap(({ displayName, help }) => [displayName, help]),
      ...options.flatMap(({ label, help, names = {} }) => [label, help, ...Object.values(names)]),
    ].filter((name) => name !== undefined);
    // A code such as utm_source is no text.
    expect(names.filter((name) => !Object.hasOwn(service, name) && !/^[a-z_]+$/.test(name))).toEqual([]);
  });

  it.each([
    ['User not found', 'Person nicht gefunden'],
    ['must have at most 500 characters', 'darf höchstens 500 Zeichen haben'],
    ['must be one of off, pow (default)', 'muss eines von off, pow (default) sein'],
    ['data.visits is full: it holds at most 1,000 items', 'data.visits ist voll: Es fasst höchstens 1,000 Einträge'],
    ['has 3 cells, and the header has 5', 'hat 3 Zellen, die Kopfzeile hat 5'],
    ['A message of a later version', 'A message of a later version'],
  ])('%s', (message, german) => {
    expect(translator(service)(message)).toBe(german);
  });

  it('have as many values in German', () => {
    const values = (text: string) => text.split('{}').length;
    expect(Object.entries(service).filter(([one, other]) => values(one) !== values(other))).toEqual([]);
  });
});

/** The messages of errors and of problems with `{}` for each value. */
function messagesOf(file: string): string[] {
  const found: string[] = [];
  visitNodes(file, readFileSync(new URL(file, SOURCE), 'utf8'), (node, parents) => {
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
