import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Schema } from '../api/endpoints.ts';
import { type Change, schemaChanges } from './changes.ts';
import { type CheckedDraft, checkDraft } from './checked-draft.ts';
import { type Draft, draftOf, rebased } from './draft.ts';
import { loadWork, storeWork, type Work } from './stored-work.ts';

export interface SchemaWork extends Work {
  checked: CheckedDraft;
  changes: Change[];
  isDirty: boolean;
  /** Restored from before the page was left. */
  isRestored: boolean;
  /** Another version was stored since the draft began. */
  overtakenBy: Work['base'] | undefined;
  edit: (change: (draft: Draft) => Draft) => void;
  /** Keeps the draft, upon that version. */
  rebase: (base: Work['base']) => void;
  /** Begins anew from that version. */
  begin: (base: Work['base']) => void;
  /** Goes on with work that was put aside. */
  resume: (work: Work) => void;
}

/** The editor's state over the newest stored version. While nothing is changed it follows that version; afterwards it never does by itself. */
export function useWork(sourceAppId: string, newest: Work['base']): SchemaWork {
  const [restored] = useState(() => loadWork(sourceAppId));
  const [work, setWork] = useState<Work>(() => restored ?? fresh(newest));
  const checked = useMemo(() => checkDraft(work.draft), [work.draft]);
  const changes = useMemo(() => changesOf(work, checked), [work, checked]);
  const isDirty = changes.length > 0 || checked.problems.size > 0;
  const isOvertaken = newest.schema.version > work.base.schema.version;

  if (!isDirty && isOvertaken) setWork(fresh(newest));
  useEffect(() => storeWork(sourceAppId, isDirty ? work : undefined), [sourceAppId, work, isDirty]);

  return {
    ...work,
    checked,
    changes,
    isDirty,
    isRestored: restored !== undefined && isDirty,
    overtakenBy: isDirty && isOvertaken ? newest : undefined,
    edit: useCallback((change) => setWork((before) => ({ ...before, draft: change(before.draft) })), []),
    rebase: useCallback((base) => setWork(({ draft }) => ({ base, draft: rebased(draft, base.schema) })), []),
    begin: useCallback((base) => setWork(fresh(base)), []),
    resume: useCallback((aside) => setWork(aside), []),
  };
}

function fresh(base: Work['base']): Work {
  return { base, draft: draftOf(base.schema) };
}

function changesOf({ base, draft }: Work, checked: CheckedDraft): Change[] {
  const was = new Map(
    draft.fields.flatMap(({ was: former, definition }) => (former === undefined ? [] : [[definition.key, former]])),
  );
  return schemaChanges(base.schema, completeFor(draft, checked), was);
}

/** Fields with problems count as well, as they are: a draft that is only wrong is changed too. */
function completeFor(draft: Draft, checked: CheckedDraft): Pick<Schema, 'rejectUnknown' | 'fields'> {
  return checked.problems.size === 0
    ? checked.schema
    : {
        rejectUnknown: draft.rejectUnknown,
        fields: draft.fields.map(({ definition }) => definition as Schema['fields'][number]),
      };
}
