// @module-tag long

import { describe, expect, it } from 'vitest';
import { marked, withAddresses } from '../../src/features/display/marks.ts';
import { cell, jsonCell, plainText } from '../../src/features/exports/cell-text.ts';
import { safeName } from '../../src/features/files/file-names.ts';
import { examine } from '../../src/features/files/file-types.ts';
import { columnName } from '../../src/features/imports/column-names.ts';
import { splitCells } from '../../src/features/imports/csv-cells.ts';
import { endOfRecord } from '../../src/features/imports/csv-records.ts';
import { compileDateFormat } from '../../src/features/imports/date-format.ts';
import { fileProblem } from '../../src/features/imports/file-encoding.ts';
import { readFileHead } from '../../src/features/imports/file-head.ts';
import { createBlockDecoder } from '../../src/features/imports/line-reader.ts';
import { emailsIn } from '../../src/features/imports/rejects.ts';
import { fillReply } from '../../src/features/notifications/reply-text.ts';
import { renderMessage } from '../../src/features/webhooks/formats.ts';
import { normalizeEmail } from '../../src/platform/core/identifiers.ts';
import { checkCharset } from '../../src/platform/http/request-bytes.ts';
import { parseStrictJson } from '../../src/platform/http/strict-json.ts';
import { oneLine, renderContent, splitLines } from '../../src/platform/mail/content.ts';
import { choicesIn } from '../../src/platform/text/choice-list.ts';
import { foldCase } from '../../src/platform/text/comparison.ts';
import { parseInstant } from '../../src/platform/text/iso-date.ts';
import { programSize } from '../../src/platform/text/regex.ts';
import { normalized, trimmedOf } from '../../src/platform/text/text.ts';
import { addWords, foldText, parseWords } from '../../src/platform/text/words.ts';
import { unitTime } from '../support/clock/thread-time.ts';
import { bytesOf, media } from '../support/samples/file-samples.ts';
import { worstTexts } from '../support/samples/worst-texts.ts';

const unit = unitTime();

/** The least time of some runs on the processor, in units. */
function leastTime(work: () => unknown, runs = 5): number {
  const times = Array.from({ length: runs }, () => {
    const from = process.cpuUsage();
    try {
      work();
    } catch {
      // A refusal takes time too.
    }
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1e3 / unit;
  });
  return Math.min(...times);
}

const search = parseWords('"a b c" ああ "zz zz"');
const CSV = { newline: 0x0a, delimiter: 0x2c };

/** What the service does with texts of strangers. */
const WORK: Readonly<Record<string, (text: string) => unknown>> = {
  'normalized as NFC': (text) => normalized(text, 'NFC'),
  'normalized as NFKD': (text) => normalized(text, 'NFKD'),
  trimmed: (text) => trimmedOf('. ', text),
  'folded for a search': foldText,
  'compared with a search': (text) => search.matches(foldText(text)),
  'divided into words': (text) => addWords(new Set(), text, 1e9),
  'folded for conditions': foldCase,
  'read as marks of a label': (text) => [marked(text), withAddresses(text)],
  'a name of a file': safeName,
  'a content type': (text) => checkCharset(`text/plain;charset=${text.slice(1)}"`),
  'choices in a cell': (text) => choicesIn([text]),
  'a date': parseInstant,
  'an email': normalizeEmail,
  JSON: (text) => parseStrictJson(JSON.stringify({ [text]: text })),
  'quoted JSON': (text) => parseStrictJson(JSON.stringify([`\\"${text}`]).replace(']', ',1e-5]')),
  'digits of a second': (text) => parseInstant(`2026-01-31T08:30:00.${text.replace(/\D/g, '1')}Z`),
  'numbers in JSON': (text) => parseStrictJson(`[${text.replace(/\D/g, '1')}]`),
  'cells of a line': (text) => splitCells(text, ','),
  'quoted cells of a line': (text) => splitCells(`"${text}`, ','),
  'the head of a file': (text) => readFileHead({ bytes: Buffer.from(text), isWhole: true }),
  'the encoding of a file': (text) => fileProblem(Buffer.from(text, 'latin1')),
  'the name of a column': columnName,
  'a cell of an export': cell,
  'JSON in a cell of an export': (text) => jsonCell(JSON.stringify([text, -1])),
  'a cell as it was': plainText,
  'a formatted date': (text) => compileDateFormat('D.M.YY h:mm A')?.parse(text),
  'the end of a line': (text) => endOfRecord(Buffer.from(text), 0, CSV, true, 1e9),
  'the end of a quoted line': (text) => endOfRecord(Buffer.from(`"${text}`), 0, CSV, true, 1e9),
  'UTF-16': (text) => createBlockDecoder('utf-16le').decode(Buffer.from(text, 'utf16le')),
  'emails in a line': emailsIn,
  'one line of an email': (text) => oneLine(text, 500),
  'a value in a reply': (text) => fillReply('{a}'.repeat(1_600), () => text),
  'the text of a reply': (text) => fillReply(text, () => 'a'),
  'lines of an email': (text) => splitLines(text, 1e9),
  'content of an email': (text) => renderContent(text, [{ text }]),
  'a message of a webhook': (text) =>
    (['slack', 'discord', 'teams', 'text'] as const).map((format) =>
      renderMessage(format, { heading: text, title: text, values: [{ name: text, value: text }], link: undefined }),
    ),
};

const LENGTH = 16_000;
/** Of the times for four times the length and for the length: four in linear time, else 16. */
const LINEAR = 10;
/** In units: shorter times say nothing. */
const SHORT = 1;

describe('in linear time, a text is', () => {
  it.each(Object.entries(WORK))('%s', (_name, work) => {
    const slow = worstTexts.filter(([, text]) => {
      const [some, more] = [text(LENGTH / text(1).length), text((4 * LENGTH) / text(1).length)];
      const time = leastTime(() => work(more), 1);
      if (time < SHORT) return false;
      return leastTime(() => work(more)) > Math.max(SHORT, LINEAR * leastTime(() => work(some)));
    });
    expect(slow.map(([name]) => name)).toEqual([]);
  });
});

const MARKS = [
  '*',
  '**',
  '*a ',
  '**a ',
  'a** ',
  '[',
  ']',
  '[[[[](',
  '[a](https://',
  '[](https://x',
  '](https://x',
  '*[**',
  '**a *b [',
  '*a*',
  '***a',
  '\n*',
  '[a](https://x.example)',
];

describe('in linear time, the marks of a label are read', () => {
  it.each(MARKS)('of many %j', (part) => {
    const [some, more] = [75_000, 300_000].map((length) => part.repeat(Math.ceil(length / part.length)));
    const most = Math.max(SHORT, LINEAR * leastTime(() => marked(some ?? '')));
    expect(leastTime(() => marked(more ?? ''))).toBeLessThan(most);
  });
});

describe('in less than a fixed computation', () => {
  it('a hundred of the longest patterns are measured', () => {
    for (const [, text] of worstTexts) {
      expect(leastTime(() => Array.from({ length: 100 }, () => programSize(text(500).slice(0, 500))))).toBeLessThan(1);
    }
  });

  it('a block of lone surrogates is read', () => {
    const block = Buffer.from('\ud800'.repeat(128 * 1024), 'utf16le');
    expect(leastTime(() => createBlockDecoder('utf-16le').decode(block))).toBeLessThan(1);
  });

  it('a sound with 500,000 tracks is refused', async () => {
    const handlers = Buffer.alloc(8_000_000, 'hdlr............soun');
    const size = Buffer.alloc(4);
    size.writeUInt32BE(handlers.length + 8);
    const content = Buffer.concat([media('mp42'), size, bytesOf('moov'), handlers]);
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const examination = examine('m4a');
      examination.add(content.subarray(0, 64 * 1024));
      const from = process.cpuUsage();
      expect(await examination.end(async (start, end) => content.subarray(start, end))).toBe(false);
      const { user, system } = process.cpuUsage(from);
      times.push((user + system) / 1e3 / unit);
    }
    expect(Math.min(...times)).toBeLessThan(1);
  });
});
