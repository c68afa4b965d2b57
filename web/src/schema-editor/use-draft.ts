import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Schema } from '../api/endpoints.ts';
import { type Change, schemaChanges } from './changes.ts';
import { type CheckedDraft, checkDraft } from './checked-draft.ts';
import { type Draft, draftOf, rebased } from './draft.ts';
import { type DraftState, loadDraft, storeDraft } from './draft-storage.ts';

export interface DraftEditor extends DraftState {
  checked: CheckedDraft;
  changes: Change[];
  isDirty: boolean;
  /** Whether the draft was loaded from the tab's storage. */
  isRestored: boolean;
  /** The newest version, when it was saved after the base of a draft with changes. */
  conflict: DraftState['base'] | undefined;
  edit: (change: (draft: Draft) => Draft) => void;
  /** Keeps the draft and moves it to another base version. */
  rebase: (base: DraftState['base']) => void;
  /** Replaces the draft with an unchanged version. */
  reset: (base: DraftState['base']) => void;
  /** Restores a discarded draft. */
  restore: (state: DraftState) => void;
}

/**
 * The state of the schema editor. A draft without changes follows the newest stored version; a
 * draft with changes keeps its base until `rebase` or `reset`.
 */
export function useDraft(sourceAppId: string, newest: DraftState['base']): DraftEditor {
  const [stored] = useState(() => loadDraft(sourceAppId));
  const [state, setState] = useState<DraftState>(() => stored ?? unchanged(newest));
  const checked = useMemo(() => checkDraft(state.draft), [state.draft]);
  const changes = useMemo(() => changesOf(state, checked), [state, checked]);
  const isDirty = changes.length > 0 || checked.problems.size > 0;
  const isOutdated = newest.schema.version > state.base.schema.version;

  if (!isDirty && isOutdated) setState(unchanged(newest));
  useEffect(() => storeDraft(sourceAppId, isDirty ? state : undefined), [sourceAppId, state, isDirty]);

  return {
    ...state,
    checked,
    changes,
    isDirty,
    isRestored: stored !== undefined && isDirty,
    conflict: isDirty && isOutdated ? newest : undefined,
    edit: useCallback((change) => setState((before) => ({ ...before, draft: change(before.draft) })), []),
    rebase: useCallback((base) => setState(({ draft }) => ({ base, draft: rebased(draft, base.schema) })), []),
    reset: useCallback((base) => setState(unchanged(base)), []),
    restore: useCallback((discarded) => setState(discarded), []),
  };
}

function unchanged(base: DraftState['base']): DraftState {
  return { base, draft: draftOf(base.schema) };
}

function changesOf({ base, draft }: DraftState, checked: CheckedDraft): Change[] {
  const originalKeys = new Map(
    draft.fields.flatMap(({ originalKey, definition }) =>
      originalKey === undefined ? [] : [[definition.key, originalKey]],
    ),
  );
  return schemaChanges(base.schema, schemaOf(draft, checked), originalKeys);
}

/** The draft as a schema. Includes invalid fields, so that they count as changes too. */
function schemaOf(draft: Draft, checked: CheckedDraft): Pick<Schema, 'rejectUnknown' | 'fields'> {
  return checked.problems.size === 0
    ? checked.schema
    : {
        rejectUnknown: draft.rejectUnknown,
        fields: draft.fields.map(({ definition }) => definition as Schema['fields'][number]),
      };
}
