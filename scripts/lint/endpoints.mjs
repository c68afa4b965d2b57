// docs/specification describes each endpoint and each parameter of openapi.json. Its tables are
// written and compared by scripts/docs/tables.mjs.
import { filesIn, matchesIn, read, readJson, unmatched, withProblem } from './repository.mjs';

const OPENAPI = 'openapi.json';
const FOLDER = 'docs/specification';
const LIST = `${FOLDER}/endpoints.md`;
/** Pages and files, which openapi.json does not have. */
const OTHERS = [
  ...['/docs', '/openapi.json', '/dashboard/', '/embed/v1.js', '/metrics'].map((path) => `GET ${path}`),
  'POST /mcp',
];

export function endpoints() {
  const files = filesIn([FOLDER], /\.md$/);
  const text = files.map(read).join('\n').toLowerCase();
  const operations = Object.entries(readJson(OPENAPI).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      file: OPENAPI,
      name: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      parameters: parameters.filter((one) => one.in !== 'path').map(({ name }) => name),
    })),
  );
  const others = OTHERS.map((name) => ({ file: LIST, name }));
  const described = files
    .flatMap((file) => matchesIn(file, /^### ([A-Z]+ \/\S*)$/gm))
    .map((heading) => ({ ...heading, name: heading.match[1] }));
  const list = read(LIST).replaceAll('\n', ' ');
  const isDescribed = (parameter) => text.includes(`\`${parameter.toLowerCase()}\``);
  return [
    ...withProblem(unmatched(operations, described), ({ name }) => `${name} has no heading in ${FOLDER}`),
    ...withProblem(
      unmatched(described, [...operations, ...others]),
      ({ name }) => `describes ${name}, which is described twice or not in ${OPENAPI}`,
    ),
    ...withProblem(operations, ({ name, parameters }) => {
      const missing = parameters.filter((parameter) => !isDescribed(parameter));
      return missing.length > 0 ? `${name} has ${missing.join(', ')}, which ${FOLDER} does not describe` : undefined;
    }),
    ...withProblem(others, ({ name }) => (list.includes(`\`${name}\``) ? undefined : `does not list ${name}`)),
  ];
}
