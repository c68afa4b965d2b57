import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';
import { mailStatusQuery } from '../queries.ts';
import type { SettingsEditor } from './use-settings.ts';

const RULES = ['', 'keep', 'confirm'] as const;

const RECEIPTS = ['', 'true', 'false'] as const;

/** Who may change the record of a known email, and what answers tell of it. */
export function KnownPeopleField({ scope, editor }: { scope: Scope; editor: SettingsEditor }) {
  const { draft, problems, edit } = editor;
  const { data: status } = useQuery(mailStatusQuery(scopeParameter(scope)));
  const cannotAsk = status !== undefined && !(status.mail && status.links);
  const texts = t.connect.settings.existing;
  const labels = { '': texts.update, keep: texts.keep, confirm: texts.confirm };
  const notes = { '': texts.updateNote, keep: texts.keepNote, confirm: texts.confirmNote };
  const { receipts } = t.connect.settings;
  const isHidden = draft.receipt === 'false' || (draft.receipt === '' && draft.existing !== '');
  return (
    <>
      <NativeSelect
        label={t.connect.settings.names.existing}
        description={notes[draft.existing]}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={draft.existing}
        error={capitalize(problems.existing)}
        data={RULES.map((value) => ({
          value,
          label: labels[value],
          disabled: value === 'confirm' && cannotAsk && draft.existing !== 'confirm',
        }))}
        onChange={(event) => {
          const chosen = RULES.find((value) => value === event.currentTarget.value);
          if (chosen !== undefined) edit({ existing: chosen });
        }}
      />
      <NativeSelect
        label={t.connect.settings.names.receipt}
        description={isHidden ? receipts.hiddenNote : receipts.shownNote}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={draft.receipt}
        error={capitalize(problems.receipt)}
        data={RECEIPTS.map((value) => ({ value, label: receipts[value || 'unset'] }))}
        onChange={(event) => {
          const chosen = RECEIPTS.find((value) => value === event.currentTarget.value);
          if (chosen !== undefined) edit({ receipt: chosen });
        }}
      />
    </>
  );
}
