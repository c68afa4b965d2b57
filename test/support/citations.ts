import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/** A reference from a comment, a test title or a document to a document of the repository. */
type Citation = { text: string; line: number } & (
  | { kind: 'specification'; section: string; rules: number[]; file?: string | undefined }
  | { kind: 'invariant' | 'decision'; number: number }
  | { kind: 'document'; file: string; heading: string | undefined }
  | { kind: 'link'; file: string; anchor: string | undefined; section: string | undefined }
  | { kind: 'outside' }
);

/** A numbered section of the specification. */
export interface Section {
  /** The only file that contains it. */
  file: string;
  rules: ReadonlySet<number>;
}

/** The content of the repository's documents that citations can reference. */
export interface Documents {
  /** The sections of the specification by their numbers. */
  sections: ReadonlyMap<string, Section>;
  invariants: ReadonlySet<number>;
  /** File names in docs/decisions. */
  decisions: readonly string[];
  exists(file: string): boolean;
  /** The text of a file that exists. */
  read(file: string): string;
}

/** The folder of the specification. */
export const SPECIFICATION_FOLDER = 'docs/specification';

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

/** The markers at the start of a comment line or a quotation line. */
const LINE_MARK = /^([ \t]*)(\*|\/\/|#+|>)(?=[ \t])/gm;

/**
 * Finds all citations in a file: `spec 2.4, rule 5`, `docs/specification/x.md, section 4.1`,
 * `invariant 3`, `decision 12`, `docs/decisions/0004`, a document with a quoted heading, Markdown
 * links, and the names of documents that are not in the repository (kind `outside`). A citation may
 * continue on the next line of a comment.
 *
 * @param file the path of the file relative to the root; links are resolved from its folder
 */
export function findCitations(file: string, content: string): Citation[] {
  const text = content.replace(LINE_MARK, (_, space: string, mark: string) => space + ' '.repeat(mark.length));
  const found: Citation[] = [];
  const at = (index: number, cited: string) => ({
    text: cited.replace(/\s+/g, ' '),
    line: text.slice(0, index).split('\n').length,
  });

  const specification = (pattern: RegExp): void => {
    for (const match of text.matchAll(pattern)) {
      const [section, rule, rules] = match.slice(match.groups ? 2 : 1);
      const cited = { ...at(match.index, match[0]), file: match.groups?.file };
      found.push({ kind: 'specification', ...cited, ...sectionOf(section, rule, rules) });
      NEXT_SECTION.lastIndex = match.index + match[0].length;
      for (let next = NEXT_SECTION.exec(text); next; next = NEXT_SECTION.exec(text)) {
        const section = sectionOf(next[1] ?? next[2], next[3], next[4]);
        found.push({ kind: 'specification', ...at(next.index, next[0]), ...section });
      }
    }
  };
  specification(SPECIFICATION);
  if (dirname(file) === SPECIFICATION_FOLDER) specification(OWN_SECTION);

  for (const match of text.matchAll(NUMBERED)) {
    const kind = /^i/i.test(match[0]) ? 'invariant' : 'decision';
    for (const number of numbersOf(match[2] ?? match[4])) found.push({ kind, ...at(match.index, match[0]), number });
  }
  for (const { 0: cited, 1: name = '', index } of text.matchAll(DECISION_FILE)) {
    const number = Number(name.slice(0, 4));
    if (!name.endsWith('.md')) found.push({ kind: 'decision', ...at(index, cited), number });
  }
  for (const { 0: cited, 1: document = '', 2: heading, index } of text.matchAll(DOCUMENT)) {
    // The text or target of a link is relative to the file and is checked as a link.
    if (!/[[(/]$/.test(text.slice(0, index))) {
      found.push({ kind: 'document', ...at(index, cited), file: document, heading: heading?.replace(/\s+/g, ' ') });
    }
  }
  if (file.endsWith('.md')) {
    for (const { 0: cited, 1: label = '', 2: target = '', index } of content.matchAll(LINK)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const linked = path === '' ? file : join(dirname(file), path);
      const section = dirname(linked) === SPECIFICATION_FOLDER ? LINKED_SECTION.exec(label)?.[1] : undefined;
      found.push({ kind: 'link', ...at(index, cited), file: linked, anchor, section });
    }
  }
  for (const { 0: cited, index } of text.matchAll(OUTSIDE)) found.push({ kind: 'outside', ...at(index, cited) });
  return found;
}

function sectionOf(section = '', rule?: string, rules?: string): { section: string; rules: number[] } {
  return { section, rules: numbersOf(rule ?? rules) };
}

/** Returns the numbers of a list like "1, 3 and 5" or "2 to 4". */
function numbersOf(list = ''): number[] {
  const range = /^(\d+)\s+to\s+(\d+)$/.exec(list);
  if (!range) return [...list.matchAll(/\d+/g)].map(Number);
  const [low, high] = [Number(range[1]), Number(range[2])];
  return Array.from({ length: Math.max(0, high - low + 1) }, (_, index) => low + index);
}

/** Returns the reason why a citation does not resolve, or undefined if it does. */
export function problemOf(citation: Citation, documents: Documents): string | undefined {
  switch (citation.kind) {
    case 'specification': {
      const found = documents.sections.get(citation.section);
      if (!found) return `${SPECIFICATION_FOLDER} has no section ${citation.section}`;
      if (citation.file !== undefined && citation.file !== found.file) return elsewhere(citation.section, found);
      const missing = citation.rules.find((rule) => !found.rules.has(rule));
      return missing === undefined
        ? undefined
        : `section ${citation.section} of ${SPECIFICATION_FOLDER} has no rule ${missing}`;
    }
    case 'invariant':
      if (documents.invariants.has(citation.number)) return undefined;
      return `docs/architecture.md has no invariant ${citation.number}`;
    case 'decision': {
      const prefix = `${String(citation.number).padStart(4, '0')}-`;
      if (documents.decisions.some((name) => name.startsWith(prefix))) return undefined;
      return `docs/decisions has no decision ${citation.number}`;
    }
    case 'document':
    case 'link': {
      const { file } = citation;
      if (!documents.exists(file)) return `${file} does not exist`;
      const section = citation.kind === 'link' ? citation.section : undefined;
      const linked = section === undefined ? undefined : documents.sections.get(section);
      if (section !== undefined && linked?.file !== file) return elsewhere(section, linked);
      if (!file.endsWith('.md')) return undefined;
      const isHeading = citation.kind === 'document';
      const cited = isHeading ? citation.heading : citation.anchor;
      const headings = headingsOf(documents.read(file));
      if (cited === undefined || (isHeading ? headings : anchorsOf(headings)).includes(cited)) return undefined;
      return `${file} has no heading "${cited}"`;
    }
    case 'outside':
      return 'names a document that is not in the repository';
  }
}

function elsewhere(section: string, found: Section | undefined): string {
  return `section ${section} is in ${found?.file ?? 'no file'}`;
}

/** Returns the headings of a Markdown document without `#` markers. */
function headingsOf(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, text = '']) => text.trim());
}

/** Returns the anchors that GitHub generates for headings. */
function anchorsOf(headings: readonly string[]): string[] {
  const used = new Map<string, number>();
  return headings.map((text) => {
    const anchor = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```.*?^```/gms, '');
}

/**
 * Returns the numbered sections of the specification, each with the numbers of its rules: list
 * items at the start of a line, also those under headings without a number. A citation must resolve
 * to exactly one rule in exactly one file, so the rules of a section are numbered from 1 without
 * gaps.
 *
 * @param files text by path
 * @throws {Error} if a section or rule number is duplicated or missing
 */
export function numberedSections(files: Readonly<Record<string, string>>): Map<string, Section> {
  const sections = new Map<string, Section>();
  for (const [file, markdown] of Object.entries(files)) {
    let rules = new Set<number>();
    for (const [, section, rule] of withoutCode(markdown).matchAll(
      /^(?:#{2,4} (\d+(?:\.\d+){0,2})\.? .+|(\d+)\. .+)$/gm,
    )) {
      if (section !== undefined) {
        const other = sections.get(section);
        if (other) throw new Error(`section ${section} is in ${other.file} and in ${file}`);
        rules = new Set();
        sections.set(section, { file, rules });
      } else {
        if (Number(rule) !== rules.size + 1) throw new Error(`${file}: rule ${rule} follows rule ${rules.size}`);
        rules.add(Number(rule));
      }
    }
  }
  return sections;
}

/** The files of the specification in `root`: text by path. */
export function readSpecification(root: string): Record<string, string> {
  const files = readdirSync(join(root, SPECIFICATION_FOLDER)).map((name) => `${SPECIFICATION_FOLDER}/${name}`);
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** Returns the numbers of the list under the heading "Invariants". */
export function numberedInvariants(markdown: string): Set<number> {
  const [, section = ''] = /^## Invariants$(.*?)(?=^## |(?!.))/ms.exec(markdown) ?? [];
  return new Set([...section.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number)));
}

/** What the repository in `root` offers to citations. */
export function readDocuments(root: string): Documents {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  return {
    sections: numberedSections(readSpecification(root)),
    invariants: numberedInvariants(read('docs/architecture.md')),
    decisions: readdirSync(join(root, 'docs/decisions')),
    exists: (file) => existsSync(join(root, file)),
    read,
  };
}

const FOLDERS = ['src', 'web/src', 'test', 'scripts', 'docs'];
const TEXT = /(?:\.(?:m?ts|tsx|m?js|css|html|md|toml|ya?ml)|^Dockerfile|^\.env\.example)$/;

/** Returns the paths, relative to `root`, of all files that may contain citations. */
export function filesWithCitations(root: string): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
  const atTop = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile());
  return [...atTop.map(({ name }) => name), ...inFolders].filter((file) => TEXT.test(basename(file))).sort();
}
