import type { Request } from 'express';
import { type Download, JsonStream } from '../../platform/http/reply.ts';
import { archiveOf } from '../people/people.routes.ts';
import type { EntryService, OpenedEntry } from './entries.service.ts';

/** Answers with an export: a ZIP archive if it has files, otherwise JSON. Pages send it too. */
export async function downloadOf(
  { email }: Pick<OpenedEntry, 'email'>,
  { entries, files }: Awaited<ReturnType<EntryService['export']>>,
  req: Request,
): Promise<JsonStream | Download> {
  const json = JsonStream.of('entries', entries, (one) => one, { email, at: new Date().toISOString() });
  if (!req.accepts('application/zip')) return json;
  const first = await files.next();
  return first.done ? json : archiveOf('entry', json, first.value, files);
}
