import { type ApiDocument, exampleOf, type Operation } from './docs-document.ts';

/** The address in the samples, which the script of the page replaces by that of the service. */
export const ORIGIN = 'http://localhost:3000';

const JSON_TYPE = 'application/json';

interface Call {
  url: string;
  headers: Record<string, string>;
  /** Whether a session has to be sent, because no API key is accepted. */
  hasSession: boolean;
  /** An example; undefined if the body is no JSON. */
  body: unknown;
  /** Whether the request sends a file. */
  hasFile: boolean;
}

/** A command that calls an operation with the examples of its declaration. */
export function curlOf(api: ApiDocument, method: string, path: string, operation: Operation): string {
  const { url, headers, hasSession, body, hasFile } = callOf(api, path, operation);
  return [
    `curl -sS${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${quoted(url)}`,
    ...(hasSession ? ['-b cookies.txt'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
    ...(hasFile ? ['--data-binary @file'] : []),
  ].join(' \\\n  ');
}

/** As `curlOf`, in JavaScript. A page of the service sends its session with the request. */
export function fetchOf(api: ApiDocument, method: string, path: string, operation: Operation): string {
  const { url, headers, body, hasFile } = callOf(api, path, operation);
  const options = [
    ...(method === 'get' ? [] : [`method: '${method.toUpperCase()}'`]),
    ...(Object.keys(headers).length > 0 ? [`headers: ${JSON.stringify(headers)}`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body)})`]),
    ...(hasFile ? ['body: file'] : []),
  ];
  const init = options.length > 0 ? `, {\n${options.map((option) => `  ${option},\n`).join('')}}` : '';
  return `const response = await fetch(${JSON.stringify(url)}${init});`;
}

/** The required parameters and the body of an operation, with examples. */
function callOf(api: ApiDocument, path: string, { parameters = [], requestBody, security }: Operation): Call {
  const required = parameters.filter((one) => one.required === true);
  const exampleIn = (place: string) =>
    required
      .filter((one) => one.in === place)
      .map(({ name, schema }) => [name, String(exampleOf(api, schema) ?? name.toUpperCase())] as const);
  const filled = exampleIn('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams(
    exampleIn('query').map(([name, value]): [string, string] => [name, value]),
  ).toString();
  const content = requestBody?.content ?? {};
  const [type] = JSON_TYPE in content ? [JSON_TYPE] : Object.keys(content);
  const isJson = type === JSON_TYPE;
  const takesKey = security.some((one) => one.key);
  return {
    url: `${ORIGIN}${filled}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...Object.fromEntries(exampleIn('header')),
      ...(takesKey && !security.some((one) => isPublic(one)) && { Authorization: 'Bearer uck_…' }),
      ...(type !== undefined && { 'Content-Type': type }),
    },
    hasSession: !takesKey && security.some((one) => one.session),
    body: isJson ? exampleOf(api, content[JSON_TYPE]?.schema ?? {}) : undefined,
    hasFile: type !== undefined && !isJson,
  };
}

const isPublic = (one: Operation['security'][number]): boolean => Object.keys(one).length === 0;

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
