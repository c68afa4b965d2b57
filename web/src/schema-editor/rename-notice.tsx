import { Alert } from '@mantine/core';
import type { Renaming } from '../background-work/queries.ts';
import { t } from '../texts/texts.ts';
import type { DraftEditor } from './use-draft.ts';

/** Whether the service refuses the draft while values are being moved (spec 4.4). */
export function mustWait({ replacement }: Pick<DraftEditor, 'replacement'>, renaming: readonly Renaming[]): boolean {
  if (renaming.length === 0) return false;
  const old = new Set(renaming.map(({ from }) => from));
  return replacement.renames !== undefined || replacement.fields.some(({ key }) => old.has(key));
}

/** Explains what cannot be saved while values are being moved. */
export function RenameNotice({ renaming }: { renaming: readonly Renaming[] }) {
  if (renaming.length === 0) return null;
  const keys = renaming.flatMap(({ from }) => (from === undefined ? [] : t.schemaEditor.quoted(from))).join(', ');
  return (
    <Alert color="indigo" p="xs" mb="md" className="breaks">
      {keys === '' ? t.schemaEditor.moving : t.schemaEditor.movingFrom(keys)}
    </Alert>
  );
}
