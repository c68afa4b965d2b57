import type { FileClaims } from '../files/file-claims.ts';
import type { RecordPart } from '../write/record-part.ts';

/**
 * The files of a record (spec 4.14): an edit claims those that it adds. A submission has its claim
 * from the request that resolved its tokens.
 */
export const createFilePart = ({ claimAdded: claim }: Pick<FileClaims, 'claimAdded'>): RecordPart => ({
  name: 'files',
  members: {},
  under: ({ app }) => (app.keepsFiles ? { edits: { name: 'files', claim } } : undefined),
});
