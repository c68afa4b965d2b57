// Finds the comments of TypeScript and JavaScript sources and wraps those that are too wide.
import { parseSync } from 'vite';
import { wrapProse } from './prose.mjs';

/** Comments for tools, which must stay on one line. */
const DIRECTIVE = /^(?:biome-ignore|@ts-|@vite-|\/)/;

/**
 * Wraps comments that have a line wider than `width`, indentation included. A comment beside code
 * is only reported.
 *
 * @param path its extension tells the language of the source
 * @returns `wide`: indexes of the lines that are too wide; `wrapped`: the lines after wrapping
 */
export function wrapComments(path, source, width) {
  const lines = source.split('\n');
  const wide = [];
  const wrapped = [];
  let next = 0;
  for (const comment of groupsOf(commentsOf(path, source), lines)) {
    const { start, end } = comment;
    if (start < next) continue;
    wrapped.push(...lines.slice(next, start));
    const result = (comment.isAlone ? wrapAlone : checkBeside)(lines.slice(start, end), width);
    wide.push(...result.wide.map((index) => start + index));
    wrapped.push(...result.wrapped);
    next = end;
  }
  return { wide, wrapped: [...wrapped, ...lines.slice(next)] };
}

/** A comment on lines with code. */
function checkBeside(lines, width) {
  const wide = lines.flatMap((line, index) => ([...line].length > width && !/https?:\S*$/.test(line) ? [index] : []));
  return { wide, wrapped: lines };
}

/**
 * Comments that have their lines for themselves: `//` lines with the same indentation, or one
 * block.
 */
function wrapAlone(lines, width) {
  const [opening, indent, marker] = /^(\s*)(\/\/|\/\*\*?)/.exec(lines[0]);
  if (marker === '//') {
    const content = lines.map((line) => line.slice(opening.length).replace(/^ /, ''));
    if (DIRECTIVE.test(content[0])) return { wide: [], wrapped: lines };
    return withPrefix(wrapProse(content, width - opening.length - 1, true), `${opening} `);
  }
  const body = lines.map((line, index) => {
    const start = index === 0 ? opening.length : (/^\s*\*(?!\/)/.exec(line)?.[0].length ?? 0);
    return line
      .slice(start)
      .replace(/\*\/\s*$/, '')
      .replace(/^ /, '')
      .trimEnd();
  });
  if (DIRECTIVE.test(body[0])) return { wide: [], wrapped: lines };
  const isRegular = lines.slice(1, -1).every((line) => /^\s*\*/.test(line));
  if (lines.every((line) => [...line].length <= width) || !isRegular) return checkBeside(lines, width);
  const { wrapped } = withPrefix(
    wrapProse(splitTags(trimBlank(body)), width - indent.length - 3, true),
    `${indent} * `,
  );
  const wide = lines.flatMap((line, index) => ([...line].length > width && body[index].includes(' ') ? [index] : []));
  return { wide, wrapped: wide.length > 0 ? [`${indent}${marker}`, ...wrapped, `${indent} */`] : lines };
}

function withPrefix({ wide, wrapped }, prefix) {
  return { wide, wrapped: wrapped.map((line) => (prefix + line).trimEnd()) };
}

function trimBlank(lines) {
  const from = lines.findIndex((line) => line.trim() !== '');
  const to = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(from, to + 1);
}

/** Gives each tag of a line its own line. */
function splitTags(lines) {
  return lines.flatMap((line) => line.split(/ (?=@(?:param|returns|throws)\b)/));
}

/** Joins `//` comments on consecutive lines with the same indentation. */
function groupsOf(comments, lines) {
  const groups = [];
  for (const { from, to, column, isLine } of comments) {
    const before = lines[from].slice(0, column).trim() === '';
    const after = isLine || /\*\/\s*$/.test(lines[to]);
    const last = groups.at(-1);
    const isAlone = before && after;
    if (isAlone && isLine && last?.isAlone && last.isLine && last.end === from && last.column === column) last.end += 1;
    else groups.push({ start: from, end: to + 1, column, isLine, isAlone });
  }
  return groups;
}

/**
 * The comments of a source in order: first and last line, column of the first, and whether it is a
 * `//` comment.
 * @throws {Error} for a source that cannot be parsed
 */
function commentsOf(path, source) {
  const { comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return comments.map(({ type, start, end }) => {
    const before = source.slice(0, start).split('\n');
    const from = before.length - 1;
    const to = from + source.slice(start, end).split('\n').length - 1;
    return { from, to, column: before.at(-1).length, isLine: type === 'Line' };
  });
}
