// Comments and the prose of documents are at most 100 columns wide.
import { documents, filesIn, read, write } from './repository.mjs';
import { wrapComments } from './width/comments.mjs';
import { wrapProse } from './width/prose.mjs';

const WIDTH = 100;

/** @param fix whether to wrap them; what cannot be wrapped safely is still a problem */
export function width(fix) {
  return [
    ...filesIn(['src', 'web/src', 'test', 'scripts'], /\.(?:tsx?|mjs)$/).flatMap((file) =>
      tooWide(file, fix, (text) => wrapComments(file, text, WIDTH)),
    ),
    ...documents.flatMap((file) => tooWide(file, fix, (text) => wrapProse(text.split('\n'), WIDTH))),
  ];
}

function tooWide(file, fix, wrap) {
  let result = wrap(read(file));
  if (fix && result.wide.length > 0) {
    write(file, result.wrapped.join('\n'));
    result = wrap(read(file));
  }
  return result.wide.map((index) => ({ file, line: index + 1, problem: `is wider than ${WIDTH} columns` }));
}
