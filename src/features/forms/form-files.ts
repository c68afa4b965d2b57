import type { Request } from 'express';
import { holdsFiles } from '../../core/fields/definition.ts';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { Forbidden, InvalidInput } from '../../platform/core/errors.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { FormEntries, FormFile } from '../form-bodies/form-body.ts';
import type { FileSink } from '../form-bodies/multipart.ts';
import { DEFAULT_FORM_SETTINGS, isClosed } from '../form-settings/form-settings.ts';
import type { Upload } from '../uploads/uploads.service.ts';
import { type KnownFiles, NO_FILES, parseName } from './form-submission.ts';

/** The page of an entry, with the token of its link. */
const ENTRY_PATH = /^\/f\/[^/]+\/entry\/([^/]+)$/;

export type FormFiles = ReturnType<typeof createFormFiles>;

/** The files of forms (spec 4.14.8). */
export function createFormFiles(deps: {
  leases: Pick<SchemaLeases, 'hold'>;
  receive(upload: Upload, source: AsyncIterable<Buffer>): Promise<FormFile>;
  find(appId: Lease['app']['id'], tokens: readonly string[]): Promise<FormFile[]>;
  /** Rejects unless a link opens an entry of the app (spec 4.16). */
  checkEntryLink(sourceAppId: string, token: string): Promise<unknown>;
  /** The most bytes of a file. */
  fileLimit: number;
}) {
  const { leases, receive, find, checkEntryLink, fileLimit } = deps;

  return {
    /**
     * Takes the files of one form; undefined if the app has no field of files that the public may
     * set, so that they are refused. @throws {Forbidden} when the form is closed
     * @throws {AppError} as `checkEntryLink`, for the page of an entry, which a closed form has too
     */
    async sink(sourceAppId: string, req: Request): Promise<FileSink | undefined> {
      const lease = await leases.hold(sourceAppId);
      if (!lease?.validator.publicFileKeys) return undefined;
      const { app, publicSchema, validator } = lease;
      const [, entryToken] = ENTRY_PATH.exec(req.path) ?? [];
      const isOfEntry = entryToken !== undefined;
      if (isOfEntry) await checkEntryLink(sourceAppId, entryToken);
      else if (isClosed(app.form ?? DEFAULT_FORM_SETTINGS)) throw new Forbidden(say('closed'));
      const keys = new Set(validator.fieldKeys);
      const counts = new Map<string, number>();
      const fieldOf = (control: string) => {
        const meaning = parseName(control, keys);
        if (meaning.use !== 'data') return undefined;
        const field = publicSchema.fields.find(({ key }) => key === meaning.key);
        return field && holdsFiles(field) ? field : undefined;
      };
      return {
        limitOf(control) {
          const field = fieldOf(control);
          return field && Math.min(field.maxBytes ?? fileLimit, fileLimit);
        },
        async receive(control, name, source) {
          const { key = '', maxFiles: max = 1 } = fieldOf(control) ?? {};
          const count = (counts.get(key) ?? 0) + 1;
          counts.set(key, count);
          if (count > max) throw new InvalidInput(say('tooManyFiles', { max }));
          return receive({ lease, field: key, name, network: req.ip ?? '', isOfEntry }, source);
        },
      };
    },

    /** Resolves with the files that the entries of a form name, those of an earlier page too. */
    async known({ list, arrived }: FormEntries, { app, validator }: Lease): Promise<KnownFiles> {
      const { publicFileKeys: fileKeys, fieldKeys } = validator;
      if (!fileKeys) return NO_FILES;
      const known = new Map(arrived.map((file) => [file.token, file]));
      const keys = new Set(fieldKeys);
      const others = list.flatMap(([name, value]) => {
        const meaning = parseName(name, keys);
        const isToken = meaning.use === 'data' && fileKeys.has(meaning.key) && value !== '' && !known.has(value);
        return isToken ? [value] : [];
      });
      if (others.length === 0) return known;
      for (const file of await find(app.id, others)) known.set(file.token, file);
      return known;
    },
  };
}
