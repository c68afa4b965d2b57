// The reasons of problems and refusals are all used, and are the only texts of errors: no other
// file of the API has one.
import { filesIn, lineAt, matchesIn, read, SOURCE, withProblem } from './repository.mjs';
import { templateParts, visitNodes } from './syntax.mjs';

/** The declarations of reasons. */
const DECLARED = ['en', 'rules', 'refusals'].map((name) => `src/platform/languages/${name}.ts`);
const DECLARATION = /(?<=^export const (?:problems|rules|refusals) = \{(?:(?!^\}).)*)^ {2}(\w+): /gms;
const CATALOGUE = /^src\/platform\/languages\/(rules|refusals|\w\w)\.ts$/;
/** What no client of the API reads: commands, settings of the process, texts for visitors. */
const ELSEWHERE =
  /^src\/(operations\/|platform\/(languages|migrations|embedded|core\/(config|identifiers|mongodb-uri))|[^/]*$)/;
/** Reasons that are stored as a text, for the file of rejected lines and the list of a change. */
const STORED = ['is refused', 'was erased'];
const PROBLEM = /^(must|is|has|needs|was|does|may|cannot) /;
const ERRORS =
  /^(AppError|Conflict|Forbidden|Gone|InvalidInput|NotFound|PreconditionFailed|TooLarge|TooManyRequests|Un\w+)$/;

export function reasons() {
  const used = new Set();
  const problems = [];
  for (const file of filesIn(['src'], SOURCE).filter((one) => !CATALOGUE.test(one))) {
    visitNodes(file, (node, parents) => {
      const parts = partsOf(node);
      // `${subject}NotJson`, of a body and of a line.
      if (parts.length === 1) used.add(parts[0]);
      else if (parts[0] === '') for (const subject of ['body', 'line']) used.add(subject + parts[1]);
      const text = parts.join('{}');
      if (!ELSEWHERE.test(file) && !STORED.includes(text) && isProblem(text, parents)) {
        const line = lineAt(read(file), node.start);
        problems.push({ file, line, problem: `has the text "${text}", which belongs to src/platform/languages` });
      }
      return true;
    });
  }
  const unused = DECLARED.flatMap((file) => matchesIn(file, DECLARATION)).filter(
    ({ match: [, code] }) => !used.has(code),
  );
  return [...problems, ...withProblem(unused, ({ match: [, code] }) => `declares ${code}, which nothing uses`)];
}

/** The texts of a literal around its values. */
function partsOf(node) {
  if (node.type === 'TemplateLiteral') return templateParts(node);
  return node.type === 'Literal' && typeof node.value === 'string' ? [node.value] : [];
}

/** Whether a text looks like a problem, or an error is created with it. */
function isProblem(text, parents) {
  if (!/[a-z] /i.test(text) || parents.some(({ type }) => /^(ImportDeclaration|TSLiteralType)$/.test(type)))
    return false;
  const isGiven = parents.slice(0, 4).some(({ type, callee }) => type === 'NewExpression' && ERRORS.test(callee.name));
  return isGiven || PROBLEM.test(text);
}
