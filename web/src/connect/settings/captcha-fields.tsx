import { NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { AS_TYPED } from '../../components/form/input.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import type { SettingsEditor } from './use-settings.ts';

const OUTAGES = ['hold', 'refuse'] as const;

/** The keys of the app at its provider of challenges. `hasSecret`: one is stored. */
export function CaptchaFields({ editor, hasSecret }: { editor: SettingsEditor; hasSecret: boolean }) {
  const { draft, problems, edit } = editor;
  const { names, outages, secretStored } = t.connect.settings;
  return (
    <>
      <TextInput
        label={names.captchaSiteKey}
        value={draft.captchaSiteKey}
        error={capitalize(problems.captchaSiteKey)}
        onChange={(event) => edit({ captchaSiteKey: event.currentTarget.value })}
        {...AS_TYPED}
      />
      <PasswordInput
        label={names.captchaSecret}
        description={hasSecret ? secretStored : undefined}
        value={draft.captchaSecret}
        error={capitalize(problems.captchaSecret)}
        // With `off`, browsers fill in the password of the log-in.
        autoComplete="new-password"
        onChange={(event) => edit({ captchaSecret: event.currentTarget.value })}
      />
      <NativeSelect
        label={names.captchaOutage}
        value={draft.captchaOutage}
        error={capitalize(problems.captchaOutage)}
        data={OUTAGES.map((value) => ({ value, label: outages[value] }))}
        onChange={(event) => {
          const chosen = OUTAGES.find((value) => value === event.currentTarget.value);
          if (chosen) edit({ captchaOutage: chosen });
        }}
      />
    </>
  );
}
