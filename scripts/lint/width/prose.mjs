// Finds the paragraphs of a text in Markdown form (a document, or the content of a comment) and
// wraps those that are too wide.

const LIST_ITEM = /^(\s*(?:[-*+]|\d{1,3}[.)])\s+)\S/;
const QUOTE = /^(\s*>\s?)(?!\s*\[!|\s*(?:[-*+>]|\d+[.)])\s|\s*$)/;
const FENCE = /^\s*(?:>\s*)?(?:```|~~~)/;
const TAG = /^@[a-z]+\b/;
const HARD_BREAK = /(?: {2}|\\)$/;
/** Lines that are never prose: table rows, headings, rules, link definitions, alerts. */
const NOT_PROSE = /^\s*(?:\||#{1,6}\s|(?:[-*_]\s*){3,}$|={3,}$|\[[^\]]+\]:\s|>\s*(?:$|\[!))/;
/** At the start of a line, these begin a list, a quote, a heading, a table or a tag. */
const SPECIAL = /^(?:[-+*]|\d+[.)]|#{1,6}|[=-]+|[>|@].*|```.*)$/;

/**
 * Wraps the paragraphs that have a line wider than `width`. A line that has no place to break (a
 * URL, an inline code span) may be wider.
 *
 * @param lines the text, one line per item
 * @param isComment tags like `@param` begin a paragraph with a hanging indent of two spaces, and
 *   lines with other indentation or with aligned columns are kept and must fit too
 * @returns `wide`: indexes of the lines that are too wide; `wrapped`: the lines after wrapping
 */
export function wrapProse(lines, width, isComment = false) {
  const wide = [];
  const wrapped = [];
  for (const { start, end, first, rest, kind } of blocksOf(lines, isComment)) {
    const block = lines.slice(start, end);
    const isChecked = kind === 'paragraph' || isComment;
    const tooWide = isChecked ? block.flatMap((line, index) => (isTooWide(line, width) ? [start + index] : [])) : [];
    wide.push(...tooWide);
    const canWrap =
      kind === 'paragraph' && tooWide.length > 0 && !block.slice(0, -1).some((line) => HARD_BREAK.test(line));
    wrapped.push(...(canWrap ? wrap(contentOf(block, first, rest), first, rest, width) : block));
  }
  return { wide, wrapped };
}

/** The text of a paragraph without the prefixes of its lines. */
function contentOf(block, first, rest) {
  const quote = rest.includes('>');
  return block
    .map((line, index) => (index === 0 ? line.slice(first.length) : quote ? line.replace(/^\s*>\s?/, '') : line).trim())
    .join(' ');
}

/** Splits lines into paragraphs and blocks that are kept, in order and without gaps. */
function blocksOf(lines, isComment) {
  const blocks = [];
  let open;
  let keepUntil;
  let listIndent = 0;
  for (const [index, line] of lines.entries()) {
    const kept = keepUntil !== undefined;
    if (FENCE.test(line)) keepUntil = keepUntil === 'fence' ? undefined : 'fence';
    else if (keepUntil === 'blank' && line.trim() === '') keepUntil = undefined;
    else if (!kept && !open && !isComment && /^\s*<[a-z!/]/i.test(line)) keepUntil = 'blank';
    const paragraph = kept || keepUntil || FENCE.test(line) ? undefined : startOf(line, open, listIndent, isComment);
    if (paragraph === 'continue') {
      open.end = index + 1;
      continue;
    }
    open = paragraph && { kind: 'paragraph', start: index, end: index + 1, ...paragraph };
    if (open?.first !== open?.rest) listIndent = open.rest.length;
    else if (/^\S/.test(line)) listIndent = 0;
    blocks.push(open ?? { kind: 'kept', start: index, end: index + 1 });
  }
  return blocks;
}

/**
 * @returns the prefixes of the paragraph that a line begins, `continue`, or undefined for a line to
 *   keep
 */
function startOf(line, open, listIndent, isComment) {
  if (line.trim() === '' || NOT_PROSE.test(line)) return undefined;
  const item = LIST_ITEM.exec(line)?.[1];
  if (item !== undefined) return { first: item, rest: ' '.repeat(item.length) };
  const quote = isComment ? undefined : QUOTE.exec(line)?.[1];
  if (quote !== undefined) return open?.rest === quote ? 'continue' : { first: quote, rest: quote };
  if (isComment && TAG.test(line)) return { first: '', rest: '  ' };
  const indent = /^\s*/.exec(line)[0];
  if (isComment && (/\S {2,}\S/.test(line) || indent.length > (open?.rest.length ?? 0))) return undefined;
  if (open && !open.rest.includes('>')) return 'continue';
  // Indented code.
  if (!isComment && indent.length >= listIndent + 4) return undefined;
  return { first: indent, rest: indent };
}

function isTooWide(line, width) {
  return [...line].length > width && wordsOf(line.replace(/^\s*(?:(?:[-*+>]|\d+[.)])\s+)?/, '')).length > 1;
}

/** The parts of a text between which a line may break. */
function wordsOf(text) {
  const spans = (text.match(/`/g) ?? []).length % 2 === 0;
  const words = [];
  for (const part of text.split(/\s+/).filter((part) => part !== '')) {
    const last = words.at(-1);
    const inSpan = spans && last !== undefined && (last.match(/`/g) ?? []).length % 2 === 1;
    if (inSpan || (last !== undefined && SPECIAL.test(part))) words[words.length - 1] = `${last} ${part}`;
    else words.push(part);
  }
  return words;
}

function wrap(text, first, rest, width) {
  const lines = [];
  let line = first;
  let isEmpty = true;
  for (const word of wordsOf(text)) {
    if (!isEmpty && [...line].length + 1 + [...word].length > width) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
