import type { Schema } from '../../api/endpoints.ts';
import { publicFields, sampleData } from '../../schema-editor/draft/rules.ts';
import { t } from '../../texts/texts.ts';
import { submitUrl } from '../urls.ts';
import { scriptLiteral, shellQuote } from './escape.ts';
import type { SnippetTarget } from './page-snippets.ts';

const EMAIL = 'ada@example.com';

/** Example values of what the public may send. */
export const publicSample = ({ fields }: Pick<Schema, 'fields'>) => sampleData({ fields: publicFields(fields) });

/** A shell command that submits one record. */
export function curlSnippet(target: SnippetTarget): string {
  const body = JSON.stringify({ email: EMAIL, data: publicSample(target.schema) }, null, 2);
  return [
    `curl ${shellQuote(submitUrl(target.sourceAppId))} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellQuote(body)}`,
  ].join('\n');
}

/** JavaScript that submits one record from a page. */
export function fetchSnippet(target: SnippetTarget): string {
  return submission(
    target,
    `// ${t.connect.snippets.noRandomUuid}
const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(16)).join('-');`,
  );
}

/** A script for Node.js that submits one record. */
export function nodeSnippet(target: SnippetTarget): string {
  return submission(target, `const key = crypto.randomUUID();`);
}

function submission(target: SnippetTarget, key: string): string {
  const data = scriptLiteral(publicSample(target.schema), 2).replaceAll('\n', '\n    ');
  return `${key}
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
