// Each citation resolves: a reference from a comment, a test title or a document to a section of
// the specification, an invariant, a decision, a document, a heading or the target of a link.
import { dirname, join } from 'node:path';
import { anchorOf } from '../docs/tables.mjs';
import { documents, exists, filesIn, lineAt, read } from './repository.mjs';

const FOLDERS = ['.', 'src', 'web/src', 'test', 'scripts', 'docs'];
const TEXT = /\.(?:m?ts|tsx|m?js|css|html|md|toml|ya?ml)$|(?:^|\/)(?:Dockerfile|\.env\.example)$/;
/** Its comments have examples. */
const THIS = 'scripts/lint/citations.mjs';
const INVARIANTS = '1,2,3,4,5,6,7,8';

const ARCHITECTURE = 'docs/architecture.md';
const SPECIFICATION_FOLDER = 'docs/specification';

const LIST = String.raw`\d+(?:(?:,\s+|,?\s+and\s+|\s+to\s+)\d+(?![\d.]*\.\d))*`;
const RULES = String.raw`(?:,\s+(?:rule\s+(\d+)|rules\s+(${LIST})))?`;
const SECTION = String.raw`(\d+(?:\.\d+){0,2})${RULES}`;
const SPECIFICATION = new RegExp(
  String.raw`(?:\b[Ss]pec|\b(?<file>${SPECIFICATION_FOLDER}/[\w-]+\.md),?\s+sections?)\s+${SECTION}`,
  'g',
);
/** In the specification itself a section is cited by its number alone. */
const OWN_SECTION = new RegExp(String.raw`\b[Ss]ections?\s+${SECTION}`, 'g');
/**
 * The second and later sections of "spec 2.1, 4.1, rule 3, and 4.3". A later section whose number
 * has no dot needs the word "section".
 */
const NEXT_SECTION = new RegExp(
  String.raw`(?:,\s+|,?\s+and\s+)(?:(?:section\s+)?(\d+(?:\.\d+){1,2})|section\s+(\d+))${RULES}`,
  'y',
);
const NUMBERED = new RegExp(
  String.raw`\b(?:([Ii]nvariant|[Dd]ecision)\s+(\d+)|([Ii]nvariants|[Dd]ecisions)\s+(${LIST}))`,
  'g',
);
const DECISION_FILE = /\bdocs\/decisions\/(\d{4}(?:-[\w-]+\.md)?)/g;
const DOCUMENT = /\b((?:docs\/[\w/-]+|README|SECURITY|CONTRIBUTING|CHANGELOG)\.md)(?:,\s+"([^"]+)")?/g;
const LINK = /\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g;
/** The text of a link to a section: its number, or "section 4.5, rule 8". */
const LINKED_SECTION = /^(?:[Ss]ection\s+)?(\d+(?:\.\d+){0,2})(?:,\s+rules?\s+\d+)?$/;
const OUTSIDE = /\b(?:SPEC|DESIGN)\b|\bEXTENSIONS\.md\b/g;

/** A heading of a section or a rule of the specification. */
const NUMBERED_LINE = /^(?:#{2,4} (\d+(?:\.\d+){0,2})\.? .+|(\d+)\. .+)$/gm;

/** The markers at the start of a comment line or a quotation line. */
const LINE_MARK = /^([ \t]*)(\*|\/\/|#+|>)(?=[ \t])/gm;

/**
 * Citations are `spec 2.4, rule 5`, `docs/specification/x.md, section 4.1`, `invariant 3`,
 * `decision 12`, `docs/decisions/0004`, a document with a quoted heading, and links of documents. A
 * citation may continue on the next line of a comment.
 */
export function citations() {
  const { sections, problems } = numberedSections();
  const invariants = numberedInvariants();
  return [
    ...problems,
    ...(`${invariants}` === INVARIANTS
      ? []
      : [{ file: ARCHITECTURE, problem: `does not have the invariants ${INVARIANTS}` }]),
    ...filesIn(FOLDERS, TEXT)
      .filter((file) => file !== THIS)
      .flatMap((file) => unresolved(file, sections, invariants)),
  ];
}

function unresolved(file, sections, invariants) {
  const text = read(file).replace(LINE_MARK, (_, space, mark) => space + ' '.repeat(mark.length));
  const cited = [
    ...citedSections(text, SPECIFICATION, sections),
    ...(dirname(file) === SPECIFICATION_FOLDER ? citedSections(text, OWN_SECTION, sections) : []),
    ...citedNumbers(text, invariants),
    ...citedDocuments(text),
    ...(file.endsWith('.md') ? links(file, sections) : []),
    ...[...text.matchAll(OUTSIDE)].map((match) => ({ match, problem: 'the document is not in the repository' })),
  ];
  return cited
    .filter(({ problem }) => problem !== undefined)
    .map(({ match, problem }) => ({
      file,
      line: lineAt(text, match.index),
      problem: `cites "${match[0].replace(/\s+/g, ' ')}": ${problem}`,
    }));
}

function* citedSections(text, pattern, sections) {
  const problemOf = (section, rules, file) => {
    const found = sections.get(section);
    if (!found) return `${SPECIFICATION_FOLDER} has no section ${section}`;
    if (file !== undefined && file !== found.file) return `section ${section} is in ${found.file}`;
    const missing = numbersOf(rules).find((rule) => rule < 1 || rule > found.rules);
    return missing === undefined ? undefined : `section ${section} of ${SPECIFICATION_FOLDER} has no rule ${missing}`;
  };
  for (const match of text.matchAll(pattern)) {
    const [section, rule, rules] = match.slice(match.groups ? 2 : 1);
    yield { match, problem: problemOf(section, rule ?? rules, match.groups?.file) };
    NEXT_SECTION.lastIndex = match.index + match[0].length;
    for (let next = NEXT_SECTION.exec(text); next; next = NEXT_SECTION.exec(text)) {
      yield { match: next, problem: problemOf(next[1] ?? next[2], next[3] ?? next[4]) };
    }
  }
}

function* citedNumbers(text, invariants) {
  for (const match of text.matchAll(NUMBERED)) {
    const problemOf = /^i/i.test(match[0]) ? (number) => invariantProblem(number, invariants) : decisionProblem;
    for (const number of numbersOf(match[2] ?? match[4])) yield { match, problem: problemOf(number) };
  }
  for (const match of text.matchAll(DECISION_FILE)) {
    if (!match[1].endsWith('.md')) yield { match, problem: decisionProblem(Number(match[1])) };
  }
}

/** The numbers of a list like "1, 3 and 5" or "2 to 4". */
function numbersOf(list = '') {
  const range = /^(\d+)\s+to\s+(\d+)$/.exec(list);
  if (!range) return [...list.matchAll(/\d+/g)].map(Number);
  const [low, high] = [Number(range[1]), Number(range[2])];
  return Array.from({ length: Math.max(0, high - low + 1) }, (_, index) => low + index);
}

function invariantProblem(number, invariants) {
  return invariants.includes(number) ? undefined : `${ARCHITECTURE} has no invariant ${number}`;
}

function decisionProblem(number) {
  const prefix = `docs/decisions/${String(number).padStart(4, '0')}-`;
  return documents.some((file) => file.startsWith(prefix)) ? undefined : `docs/decisions has no decision ${number}`;
}

function* citedDocuments(text) {
  for (const match of text.matchAll(DOCUMENT)) {
    const [, file, heading] = match;
    // The text or target of a link is relative to the file and is checked as a link.
    if (/[[(/]$/.test(text.slice(0, match.index))) continue;
    yield { match, problem: headingProblem(file, heading?.replace(/\s+/g, ' '), (headings) => headings) };
  }
}

function* links(file, sections) {
  for (const match of read(file).matchAll(LINK)) {
    const [, label, target] = match;
    if (/^[a-z]+:/.test(target)) continue;
    const [path, anchor] = target.split('#');
    const linked = path === '' ? file : join(dirname(file), path);
    const section = dirname(linked) === SPECIFICATION_FOLDER ? LINKED_SECTION.exec(label)?.[1] : undefined;
    const place = sections.get(section)?.file ?? 'no file';
    const isElsewhere = section !== undefined && exists(linked) && place !== linked;
    yield {
      match,
      problem: isElsewhere ? `section ${section} is in ${place}` : headingProblem(linked, anchor, anchorsOf),
    };
  }
}

/** @param namesOf by which names the headings of a document are cited */
function headingProblem(file, cited, namesOf) {
  if (!exists(file)) return `${file} does not exist`;
  if (cited === undefined || !file.endsWith('.md')) return undefined;
  const headings = [...withoutCode(read(file)).matchAll(/^#{1,6} (.+)$/gm)].map(([, text]) => text.trim());
  return namesOf(headings).includes(cited) ? undefined : `${file} has no heading "${cited}"`;
}

/** The anchors that GitHub generates for headings. */
function anchorsOf(headings) {
  const used = new Map();
  return headings.map((heading) => {
    const anchor = anchorOf(heading);
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** The text with empty lines in place of code. */
const withoutCode = (markdown) => markdown.replace(/^```.*?^```/gms, (code) => code.replace(/.+/g, ''));

/**
 * The numbered sections of the specification, each with the number of its rules: list items at the
 * start of a line, also those under headings without a number. A citation must resolve to exactly
 * one rule in exactly one file, so the rules of a section are numbered from 1 without gaps.
 */
function numberedSections() {
  const sections = new Map();
  const problems = [];
  for (const file of filesIn([SPECIFICATION_FOLDER], /\.md$/)) {
    let open = { rules: 0 };
    const text = withoutCode(read(file));
    for (const { 1: section, 2: rule, index } of text.matchAll(NUMBERED_LINE)) {
      const line = lineAt(text, index);
      if (section !== undefined) {
        const other = sections.get(section);
        if (other) problems.push({ file, line, problem: `section ${section} is in ${other.file} too` });
        open = { file, rules: 0 };
        sections.set(section, open);
      } else {
        open.rules += 1;
        if (Number(rule) !== open.rules) problems.push({ file, line, problem: `rule ${rule} is not ${open.rules}` });
      }
    }
  }
  return { sections, problems };
}

/** The numbers of the list under the heading "Invariants". */
function numberedInvariants() {
  const [, list = ''] = /^## Invariants$(.*?)(?=^## |(?!.))/ms.exec(read(ARCHITECTURE)) ?? [];
  return [...list.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
}
