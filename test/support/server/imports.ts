import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Client } from './client.ts';

/** What a test says of an import. */
export type ImportSettings = Record<string, unknown>;

/** The progress of an import, as the service answers it. */
export interface Progress {
  id: string;
  state: string;
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  errors: { line: number; message: string }[];
  received: number;
  position: number;
  failure?: string;
  undo?: UndoProgress;
}

interface UndoProgress {
  state: string;
  done: number;
  restored: number;
  erased: number;
  kept: number;
}

const query = (sourceAppId: string | undefined): string => (sourceAppId ? `?sourceAppId=${sourceAppId}` : '');

/** Prepares an import and sends its file; resolves with its id. */
export async function prepareImport(
  client: Client,
  sourceAppId: string | undefined,
  content: string | Buffer,
  settings: ImportSettings = {},
): Promise<string> {
  const { body } = await client.post(`/auth/imports${query(sourceAppId)}`, settings).expect(200);
  await client
    .put(`/auth/imports/${body.id}/content${query(sourceAppId)}`)
    .set('Content-Type', 'application/octet-stream')
    .send(typeof content === 'string' ? Buffer.from(content) : content)
    .expect(200);
  return body.id;
}

/** Resolves with the state of an import when `isReached` holds. */
export async function untilImport(
  client: Client,
  sourceAppId: string | undefined,
  id: string,
  isReached: (progress: Progress) => boolean = ({ state }) => state !== 'running',
): Promise<Progress> {
  for (;;) {
    const { status, body } = await client.get(`/auth/imports/${id}${query(sourceAppId)}`);
    // A busy machine answers 503 at times.
    expect([200, 503]).toContain(status);
    if (status === 200 && isReached(body)) return body;
    await sleep(20);
  }
}

/** Imports a file, and resolves with the result. */
export async function runImport(
  client: Client,
  sourceAppId: string | undefined,
  content: string | Buffer,
  settings: ImportSettings = {},
): Promise<Progress> {
  const id = await prepareImport(client, sourceAppId, content, settings);
  await client.post(`/auth/imports/${id}/start${query(sourceAppId)}`).expect(200);
  return untilImport(client, sourceAppId, id);
}

/** The rejected lines of an import, as CSV. */
export async function rejectsOf(client: Client, sourceAppId: string | undefined, id: string): Promise<string> {
  const { text } = await client.get(`/auth/imports/${id}/rejects.csv${query(sourceAppId)}`).expect(200);
  return text;
}

/** The numbers of the lines in a file of rejected lines. */
export function linesIn(csv: string): number[] {
  return csv
    .split('\r\n')
    .slice(1)
    .flatMap((row) => (row === '' ? [] : [Number(row.split(',')[0])]));
}

/** Begins the undo of an import. */
export async function beginUndo(client: Client, sourceAppId: string | undefined, id: string): Promise<void> {
  await client.post(`/auth/imports/${id}/undo${query(sourceAppId)}`).expect(200);
}

/** Resolves with what an undo did when it has ended. */
export async function untilUndone(
  client: Client,
  sourceAppId: string | undefined,
  id: string,
): Promise<UndoProgress | undefined> {
  return (await untilImport(client, sourceAppId, id, ({ undo }) => undo?.state === 'completed')).undo;
}

/** Undoes an import, and resolves with what the undo did. */
export async function undoImport(
  client: Client,
  sourceAppId: string | undefined,
  id: string,
): Promise<UndoProgress | undefined> {
  await beginUndo(client, sourceAppId, id);
  return untilUndone(client, sourceAppId, id);
}
