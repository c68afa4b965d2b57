import type { Test } from 'supertest';
import type { Client } from './client.ts';

/** The entries of a form: names with values. A name may repeat. */
export type Entries = readonly (readonly [name: string, value: string])[];

export const BOUNDARY = '----form-of-a-test';

/** The header that browsers send with a form. */
export const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

export const urlencoded = (entries: Entries): string =>
  new URLSearchParams(entries.map(([...pair]) => pair)).toString();

/** The body of a multipart form, as browsers send it. */
export function multipart(entries: Entries): string {
  return `${entries.map(([name, value]) => partOf(`name="${name}"`, value)).join('')}--${BOUNDARY}--\r\n`;
}

/** One part; `parameters` are those of its `Content-Disposition`. */
export function partOf(parameters: string, content: string, headers: readonly string[] = []): string {
  const head = [`Content-Disposition: form-data; ${parameters}`, ...headers].join('\r\n');
  return `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`;
}

export const TYPES = {
  urlencoded: 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${BOUNDARY}`,
} as const;

export type FormKind = keyof typeof TYPES;

/** Sends the bytes of a body unchanged to the form endpoint of an app, as a browser. */
export function sendBody(client: Client, sourceAppId: string, type: string, body: string | Buffer): Test {
  return client
    .post(`/v1/forms/${sourceAppId}`, body)
    .serialize((given) => given)
    .set({ 'Content-Type': type, Accept: BROWSER });
}

/** Submits a form as a browser does. */
export function sendForm(client: Client, sourceAppId: string, entries: Entries, kind: FormKind = 'urlencoded'): Test {
  const body = kind === 'urlencoded' ? urlencoded(entries) : multipart(entries);
  return sendBody(client, sourceAppId, TYPES[kind], body);
}

/** One part with a file; its name in UTF-8, as browsers send it. */
export function filePart(control: string, name: string, content: Buffer | string): Buffer {
  const head = Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${control}"; filename="${name}"\r\n`,
  );
  const type = Buffer.from('Content-Type: application/octet-stream\r\n\r\n');
  return Buffer.concat([head, type, Buffer.from(content), Buffer.from('\r\n')]);
}

/** A multipart form of files and texts, in this order. */
export function multipartOf(parts: readonly (Buffer | readonly [name: string, value: string])[]): Buffer {
  const all = parts.map((part) => (Buffer.isBuffer(part) ? part : Buffer.from(partOf(`name="${part[0]}"`, part[1]))));
  return Buffer.concat([...all, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}
