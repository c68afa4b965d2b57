// The commands of the documents that write personal data to a file begin with `umask 077`.
import { documents, matchesIn, withProblem } from './repository.mjs';

export function umask() {
  const commands = documents
    .flatMap((file) => matchesIn(file, /^ *```sh\n([\s\S]*?)^ *```/gm))
    .filter(({ match: [, text] }) => /(?:mongodump|users export)[^\n]*(?:> |--archive=)/.test(text))
    .filter(({ match: [, text] }) => !/^ *umask 077\b/m.test(text));
  return withProblem(commands, () => 'commands that write personal data to a file do not begin with `umask 077`');
}
