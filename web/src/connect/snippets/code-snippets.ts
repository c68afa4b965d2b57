import type { Schema } from '../../api/endpoints.ts';
import { publicFields, sampleData } from '../../schema-editor/draft/rules.ts';
import { t } from '../../texts/texts.ts';
import { submitUrl } from '../urls.ts';
import { scriptLiteral, shellQuote } from './escape.ts';
import type { SnippetTarget } from './page-snippets.ts';

const EMAIL = 'ada@example.com';

/** Example values of what the public may send. */
export const publicSample = ({ fields }: Pick<Schema, 'fields'>) => sampleData({ fields: publicFields(fields) });

/** A file that the example has in a field, where the data has `placeholder`. */
interface SampleFile {
  placeholder: string;
  /** The path and the query of its upload. */
  query: string;
  name: string;
}

function sampleFiles({ fields }: Pick<Schema, 'fields'>): SampleFile[] {
  const sample = publicSample({ fields });
  return fields.flatMap((field) => {
    const tokens = sample[field.key];
    if (field.kind !== 'file' || !Array.isArray(tokens)) return [];
    const name = `${field.key}.${field.types[0]}`;
    const query = `files?${new URLSearchParams({ field: field.key, name })}`;
    return tokens.map((placeholder: string) => ({ placeholder, query, name }));
  });
}

/** Shell commands that submit one record. */
export function curlSnippet(target: SnippetTarget): string {
  const body = JSON.stringify({ email: EMAIL, data: publicSample(target.schema) }, null, 2);
  const files = sampleFiles(target.schema);
  const uploads = files.flatMap(({ query, name }, n) => [
    `# ${t.connect.snippets.fileFirst}`,
    `token${n}=$(curl -s ${shellQuote(`${submitUrl(target.sourceAppId)}/${query}`)} --data-binary ${shellQuote(`@${name}`)} |`,
    `  sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
  ]);
  const withTokens = (text: string) =>
    files.reduce((all, { placeholder }, n) => all.replace(placeholder, `'"$token${n}"'`), text);
  return [
    ...uploads,
    `curl ${shellQuote(submitUrl(target.sourceAppId))} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${withTokens(shellQuote(body))}`,
  ].join('\n');
}

/** JavaScript that submits one record from a page. */
export function fetchSnippet(target: SnippetTarget): string {
  return submission(
    target,
    `// ${t.connect.snippets.noRandomUuid}
const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(16)).join('-');`,
    () => `document.querySelector('input[type=file]').files[0]`,
  );
}

/** A script for Node.js that submits one record. */
export function nodeSnippet(target: SnippetTarget): string {
  const read = (name: string) => `await (await import('node:fs/promises')).readFile(${scriptLiteral(name)})`;
  return submission(target, `const key = crypto.randomUUID();`, read);
}

/** @param fileOf the expression of the content of a file */
function submission(target: SnippetTarget, key: string, fileOf: (name: string) => string): string {
  const files = sampleFiles(target.schema);
  const uploads = files.map(
    ({ query, name }, n) => `// ${t.connect.snippets.fileFirst}
const file${n} = ${fileOf(name)};
const upload${n} = await fetch(${scriptLiteral(`${submitUrl(target.sourceAppId)}/${query}`)}, { method: 'POST', body: file${n} });
const { token: token${n} } = await upload${n}.json();
`,
  );
  const data = files.reduce(
    (all, { placeholder }, n) => all.replace(scriptLiteral(placeholder), `token${n}`),
    scriptLiteral(publicSample(target.schema), 2).replaceAll('\n', '\n    '),
  );
  return `${uploads.join('')}${key}
const response = await fetch(${scriptLiteral(submitUrl(target.sourceAppId))}, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    // ${t.connect.snippets.sameKey}
    'Idempotency-Key': key,
  },
  body: JSON.stringify({
    email: ${scriptLiteral(EMAIL)},
    data: ${data},
  }),
});
const result = await response.json();
if (!response.ok) {
  // { message, errors: [{ path: 'data.…', message }] }
  throw new Error([result.message, ...(result.errors ?? []).map((e) => \`\${e.path} \${e.message}\`)].join('\\n'));
}
console.log('${t.connect.snippets.storedAs}', result.id);
`;
}
