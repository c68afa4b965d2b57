import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { issuesOf } from '../../api/call.ts';
import { useUnsaved } from '../../drafts/unsaved.ts';
import { type ConnectedApp, formSettingsQuery, isConflict, putFormSettings, type StoredSettings } from '../queries.ts';
import {
  changedNames,
  type DraftState,
  draftOf,
  type SettingName,
  type SettingsDraft,
  settingAt,
  settingsDrafts,
  settingsOf,
  theirChanges,
  withoutSecret,
} from './settings-draft.ts';

export interface SettingsEditor {
  draft: SettingsDraft;
  changed: readonly SettingName[];
  /** The settings that someone else changed meanwhile. */
  theirs: readonly SettingName[];
  /** The provider whose secret is stored. */
  providerWithSecret: string | undefined;
  /** Whether the draft was loaded from the tab's storage, which has no secret. */
  isRestored: boolean;
  isSaving: boolean;
  isSaved: boolean;
  /** The messages of a refused save, by setting. */
  problems: Readonly<Record<string, string>>;
  /** The error of the save, if no setting has it. */
  error: string | undefined;
  edit: (part: Partial<SettingsDraft>) => void;
  save: () => void;
  discard: () => void;
  /** Applies the changes of the draft to the newest settings. */
  keepMine: () => void;
}

const MAX_TRIES = 4;

/**
 * The state of the settings form. A draft without changes follows the stored settings; others are
 * saved only if nobody changed settings of this form meanwhile.
 */
export function useSettings({ sourceAppId, stored, schema }: ConnectedApp): SettingsEditor {
  const client = useQueryClient();
  const query = formSettingsQuery(sourceAppId);
  const { queryKey } = query;
  const [restored] = useState(() => settingsDrafts.load(sourceAppId));
  const [state, setState] = useState<DraftState>(() => restored ?? unchanged(stored));
  const changed = changedNames(draftOf(state.base.settings), state.draft);
  const theirs = theirChanges(state, stored.settings);
  const isDirty = changed.length > 0;

  // The origins are not part of the draft, so another tab may change them at any time.
  if (state.base.etag !== stored.etag && (!isDirty || theirs.length === 0)) {
    setState({ base: stored, draft: isDirty ? state.draft : draftOf(stored.settings) });
  }
  useEffect(() => settingsDrafts.store(sourceAppId, withoutSecret(state)), [sourceAppId, state]);
  useUnsaved((to) => {
    // The other pages of the form edit the stored draft.
    const isKept = state.draft.captchaSecret === '' && settingsDrafts.load(sourceAppId) !== undefined;
    return isDirty && !(to && isKept);
  });

  const mutation = useMutation({
    mutationFn: (sent: DraftState) => {
      const keys = schema.fields.map(({ key }) => key);
      return saveDraft({ sourceAppId, keys }, sent, () => client.fetchQuery({ ...query, staleTime: 0 }));
    },
    onSuccess: async (saved, sent) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, saved);
      // What was typed since is kept.
      setState(({ draft }) => rebased(saved, draft, changedNames(sent.draft, draft)));
    },
    // Shows what someone else saved.
    onError: (error) => isConflict(error) && client.invalidateQueries({ queryKey }),
  });
  const issues = issuesOf(mutation.error);
  return {
    draft: state.draft,
    changed,
    theirs: isDirty ? theirs : [],
    providerWithSecret: stored.settings.captcha && stored.settings.botProtection,
    isRestored: restored !== undefined && isDirty,
    isSaving: mutation.isPending,
    isSaved: mutation.isSuccess && !isDirty,
    problems: Object.fromEntries(issues.map(({ path, message }) => [settingAt(path), message])),
    error: mutation.error && issues.length === 0 && !isConflict(mutation.error) ? mutation.error.message : undefined,
    edit: (part) => setState(({ base, draft }) => ({ base, draft: { ...draft, ...part } })),
    save: () => mutation.mutate(state),
    discard: () => {
      mutation.reset();
      setState(unchanged(stored));
    },
    keepMine: () => setState(({ draft }) => rebased(stored, draft, changed)),
  };
}

/** Saves a draft. Changes of settings of other forms are kept. @throws {ApiError} 412 otherwise */
async function saveDraft(
  { sourceAppId, keys }: { sourceAppId: string; keys: readonly string[] },
  { base, draft }: DraftState,
  fetchNewest: () => Promise<StoredSettings>,
): Promise<StoredSettings> {
  const changed = changedNames(draftOf(base.settings), draft);
  for (let { settings, etag } = base, tries = 1; ; tries += 1) {
    try {
      return await putFormSettings(sourceAppId, settingsOf(settings, draft, changed, keys), etag);
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw error;
      ({ settings, etag } = await fetchNewest());
      if (theirChanges({ base, draft }, settings).length > 0) throw error;
    }
  }
}

/** The stored settings with some members of a draft. */
function rebased(base: StoredSettings, draft: SettingsDraft, names: readonly SettingName[]): DraftState {
  return {
    base,
    draft: { ...draftOf(base.settings), ...Object.fromEntries(names.map((name) => [name, draft[name]])) },
  };
}

function unchanged(base: StoredSettings): DraftState {
  return { base, draft: draftOf(base.settings) };
}
