import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Schema } from '../../api/endpoints.ts';
import { useUnsaved } from '../../drafts/unsaved.ts';
import { type Change, schemaChanges } from './changes.ts';
import { type CheckedDraft, checkDraft } from './checked-draft.ts';
import { type Draft, type DraftState, draftOf, schemaDrafts } from './draft.ts';
import { type FieldRename, renamesOf } from './field-renames.ts';

export interface DraftEditor extends DraftState {
  checked: CheckedDraft;
  changes: Change[];
  /** The fields whose key was changed. */
  renames: FieldRename[];
  /** The body of the request that saves the draft. */
  replacement: CheckedDraft['schema'] & { renames?: { from: string; to: string }[] };
  isDirty: boolean;
  /** Whether the draft was loaded from the tab's storage. */
  isRestored: boolean;
  /** A newer version than the base of a draft with changes. */
  conflict: DraftState['base'] | undefined;
  edit: (change: (draft: Draft) => Draft) => void;
  /** Keeps a text that is no valid schema, until the next edit. */
  keepJson: (json: string) => void;
  /** Replaces the draft with an unchanged version; only the draft `of`, if it is given. */
  reset: (base: DraftState['base'], of?: Draft) => void;
  /** Restores a discarded draft, or takes over a merged one. */
  restore: (state: DraftState) => void;
}

/** The state of the schema editor. Only a draft without changes follows the stored version. */
export function useDraft(sourceAppId: string, newest: DraftState['base']): DraftEditor {
  const [stored] = useState(() => schemaDrafts.load(sourceAppId));
  const [state, setState] = useState<DraftState>(() => stored ?? unchanged(newest));
  const checked = useMemo(() => checkDraft(state.draft), [state.draft]);
  const renames = useMemo(() => renamesOf(state.base.schema, state.draft), [state]);
  const changes = useMemo(() => changesOf(state, checked, renames), [state, checked, renames]);
  const moved = renames.filter(({ keepsData }) => keepsData).map(({ from, to }) => ({ from, to }));
  const isDirty = changes.length > 0 || checked.problems.size > 0 || state.json !== undefined;
  const isOutdated = newest.schema.version > state.base.schema.version;

  // A draft that is stored already was saved before its page was left.
  if (isOutdated && (!isDirty || isSame(state, checked, newest.schema))) setState(unchanged(newest));
  useEffect(() => schemaDrafts.store(sourceAppId, isDirty ? state : undefined), [sourceAppId, state, isDirty]);
  useUnsaved((to) => isDirty && !(to && schemaDrafts.load(sourceAppId)));

  return {
    ...state,
    checked,
    changes,
    renames,
    replacement: { ...checked.schema, ...(moved.length > 0 && { renames: moved }) },
    isDirty,
    isRestored: stored !== undefined && isDirty,
    conflict: isDirty && isOutdated ? newest : undefined,
    edit: useCallback((change) => setState(({ base, draft }) => ({ base, draft: change(draft) })), []),
    keepJson: useCallback((json) => setState((before) => ({ ...before, json })), []),
    reset: useCallback((base, of) => setState((before) => (of && !isOnly(before, of) ? before : unchanged(base))), []),
    restore: useCallback((discarded) => setState(discarded), []),
  };
}

/** Whether nothing was typed since a draft. */
function isOnly({ draft, json }: DraftState, of: Draft): boolean {
  return draft === of && json === undefined;
}

function isSame({ json }: DraftState, { problems, schema }: CheckedDraft, newest: Schema): boolean {
  return json === undefined && problems.size === 0 && schemaChanges(newest, schema).length === 0;
}

function unchanged(base: DraftState['base']): DraftState {
  return { base, draft: draftOf(base.schema) };
}

function changesOf({ base, draft }: DraftState, checked: CheckedDraft, renames: readonly FieldRename[]): Change[] {
  const originalKeys = new Map(
    draft.fields.flatMap(({ originalKey, definition }) =>
      originalKey === undefined ? [] : [[definition.key, originalKey]],
    ),
  );
  const moved = new Set(renames.filter(({ keepsData }) => keepsData).map(({ to }) => to));
  return schemaChanges(base.schema, schemaOf(draft, checked), originalKeys, moved);
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
