// The generated tables of docs/specification: sections, callers, endpoints.

const SECTION = /^#{2,4} (\d+(?:\.\d+)*) (.+)$/;
const OPERATION = /^#{2,4} ([A-Z]+ \/\S*)$/;
const OF_A_BODY = [413, 415];
const GENERATED = /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end of generated -->)/g;

/**
 * Writes the generated tables of the specification.
 *
 * @param files text by file name
 * @param endpoints the declarations
 * @param document the OpenAPI document of these
 * @returns the files with their tables, by name
 * @throws {Error} if an endpoint has no heading
 */
export function renderTables(files, endpoints, document) {
  const { sections, operations } = contentsOf(files);
  const described = endpoints
    .map(({ name, spec }) => {
      const operation = operationName(spec);
      const place = operations.get(operation);
      if (!place) throw new Error(`docs/specification has no heading for ${operation}`);
      return { ...place, operation, spec, statuses: statusesOf(document, name) };
    })
    .sort((one, other) => bySection(one, other) || one.line - other.line);
  const refusals = refusalsByCaller(described);
  const tables = {
    sections: pagesOf(files, sections).join('\n'),
    callers: table(
      ['Caller', 'Refusals of every endpoint'],
      [...refusals].map(([caller, statuses]) => [caller, statuses.join(' ')]),
    ),
    endpoints: table(
      ['Endpoint', 'Caller, load', 'Statuses, event'],
      described.map(({ operation, link, spec, statuses }) => [
        `[${operation}](${link})`,
        [callerOf(spec), loadOf(spec)].filter(Boolean).join(', '),
        [
          ...shownStatuses(statuses, [...refusals.get(kindOfCaller(spec)), ...refusalsOfIds(spec)]),
          ...(spec.audit ? [`\`${spec.audit}\``] : []),
        ].join(' '),
      ]),
    ),
  };
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, fillTables(text, tables, name)]));
}

/** Replaces the generated parts of a text. @param tables by the names of the parts */
export function fillTables(text, tables, name) {
  return text.replace(GENERATED, (_, start, kind, end) => {
    if (!tables[kind]) throw new Error(`${name}: there is no table "${kind}"`);
    return `${start}${tables[kind]}\n${end}`;
  });
}

/** The sections of all files in their order, and the place of each operation. */
function contentsOf(files) {
  const sections = [];
  const operations = new Map();
  for (const [file, text] of Object.entries(files)) {
    let section = '';
    for (const [line, content] of text.split('\n').entries()) {
      const link = `${file}#${anchorOf(content)}`;
      const [, number, title] = SECTION.exec(content) ?? [];
      const [, operation] = OPERATION.exec(content) ?? [];
      if (number) {
        section = number;
        sections.push({ section, title, file, link });
      }
      if (operation) operations.set(operation, { section, line, link });
    }
  }
  return { sections: sections.sort(bySection), operations };
}

/** Each file with its title and sections, in the order of its first section. */
function pagesOf(files, sections) {
  return [...new Set(sections.map(({ file }) => file))].map((file) => {
    const [, title] = /^# (.+)$/m.exec(files[file]) ?? [];
    const own = sections.filter((section) => section.file === file);
    return `- [${title}](${file}): ${own.map(({ section, link }) => `[${section}](${link})`).join(' ')}`;
  });
}

const bySection = (one, other) => one.section.localeCompare(other.section, 'en', { numeric: true });

/** The anchor that GitHub generates for a heading. */
export function anchorOf(heading) {
  const text = heading.replace(/^#+ /, '').toLowerCase();
  return text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}

const operationName = ({ method, path }) => `${method.toUpperCase()} ${path}`;

function statusesOf({ paths }, operationId) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const operation = operations.find((one) => one.operationId === operationId);
  return Object.keys(operation.responses).map(Number);
}

/** The refusals that all endpoints of a kind of caller have, by that kind. */
function refusalsByCaller(described) {
  const common = new Map();
  for (const { spec, statuses } of described) {
    const kind = kindOfCaller(spec);
    const isShared = (status) => status >= 400 && statuses.includes(status);
    common.set(kind, (common.get(kind) ?? statuses).filter(isShared));
  }
  return common;
}

/**
 * The refusals that not all endpoints of its caller have, without those of a body, and the
 * successes other than 200 alone.
 */
function shownStatuses(statuses, common) {
  const successes = statuses.filter((status) => status < 400);
  const left = OF_A_BODY.every((status) => statuses.includes(status)) ? [...common, ...OF_A_BODY] : common;
  const refusals = statuses.filter((status) => status >= 400 && !left.includes(status));
  return [...(successes.join() === '200' ? [] : successes), ...refusals];
}

/** 404 means an app or a resource that does not exist, except where anyone calls. */
const refusalsOfIds = (spec) => (kindOfCaller(spec) === 'anyone' ? [] : [404]);

function kindOfCaller({ auth, role }) {
  if (auth === 'app id' || auth === 'form') return 'app id';
  if (auth === 'session' || auth === 'session or key') return auth === 'session' || role ? 'session, admin' : 'key';
  return 'anyone';
}

function callerOf({ auth, scope, role }) {
  const key = `key \`${scope}\``;
  if (auth === 'app id' || auth === 'form') return scope ? `app id, ${key}` : 'app id';
  if (auth === 'session') return role ? 'admin' : 'session';
  if (auth !== 'session or key') return 'anyone';
  if (role === 'admin') return `admin, admin's ${key}`;
  return role ? `admin, admin's or own ${key}` : key;
}

/** Empty for `light`, which most are, and for endpoints without a load. */
function loadOf({ auth, upload, load = 'read' }) {
  if (!auth.startsWith('session') || upload || load === 'light') return '';
  if (typeof load !== 'function') return load;
  return `${load({ limit: 1 })}; without parameters ${load({})}`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`.replaceAll(/ {2,}/g, ' ');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
