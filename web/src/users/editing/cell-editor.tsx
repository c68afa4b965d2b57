import { Suspense } from 'react';
import type { Field, UserRecord } from '../../api/endpoints.ts';
import { loadLater } from '../../components/page/load-later.tsx';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../scope.ts';

const dialog = loadLater(() => import('../../record/editing/edit-form.tsx').then(({ EditDialog }) => EditDialog));

/** A cell of the table: one field of one user. */
export interface EditedCell {
  user: UserRecord;
  field: Field;
}

interface CellEditorProps {
  scope: Scope;
  cell: EditedCell | undefined;
  onClose: () => void;
}

/** Changes the value of one cell. */
export function CellEditor({ scope, cell, onClose }: CellEditorProps) {
  return (
    <Suspense>
      <dialog.Part
        title={cell ? t.users.editUser(cell.user.email) : ''}
        scope={scope}
        // A list has no ETags; the time of the last change names the state too.
        stored={cell && { record: cell.user, etag: `"${cell.user.updatedAt}"` }}
        fields={cell ? [cell.field] : []}
        onClose={onClose}
      />
    </Suspense>
  );
}

/** The field of a column whose values can be changed in the table. */
export function editableField(columnId: string, fields: readonly Field[]): Field | undefined {
  return fields.find(({ key, kind }) => `data.${key}` === columnId && kind !== 'array' && kind !== 'file');
}
