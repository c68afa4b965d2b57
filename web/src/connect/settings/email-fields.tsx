import { Checkbox, NativeSelect, Text, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { capitalize } from '../../schema-editor/messages.ts';
import type { Scope } from '../../users/scope.ts';
import { mailStatusQuery } from '../queries.ts';
import { SETTING_NAMES } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

const TIMES = [
  { value: 'each', label: 'For each new or changed entry, with its values' },
  { value: 'daily', label: 'Once a day, with numbers only' },
] as const;

const NO_MAIL = 'This service sends no email: its setting SMTP_URL is not set.';
const NO_LINKS = 'This service does not know its address for links: its setting PUBLIC_URL is not set.';

/** The inputs of the emails of an app. Those that the service cannot send can only be unset. */
export function EmailFields({ scope, editor }: { scope: Scope; editor: SettingsEditor }) {
  const { draft, problems, edit } = editor;
  const { data: status } = useQuery(mailStatusQuery(scope));
  const cannotSend = status?.mail === false ? NO_MAIL : undefined;
  const cannotLink = cannotSend ?? (status?.links === false ? NO_LINKS : undefined);
  const isUnknown = status === undefined;
  return (
    <>
      <Title order={2} size="h4" mt="md">
        Email
      </Title>
      {cannotSend && (
        <Text size="sm" c="dimmed">
          {cannotSend}
        </Text>
      )}
      <Checkbox
        label={SETTING_NAMES.doubleOptIn}
        description={
          cannotLink && !cannotSend
            ? cannotLink
            : 'Each new person receives an email with a link. Every record is stored, and shows whether the address is confirmed.'
        }
        checked={draft.doubleOptIn === 'on'}
        disabled={(isUnknown || cannotLink !== undefined) && draft.doubleOptIn !== 'on'}
        error={capitalize(problems.doubleOptIn)}
        onChange={(event) => edit({ doubleOptIn: event.currentTarget.checked ? 'on' : '' })}
      />
      <Textarea
        label={SETTING_NAMES.notifyEmails}
        description="Who is told of new and changed entries: one address in each line, at most 10"
        rows={2}
        value={draft.notifyEmails}
        disabled={(isUnknown || cannotSend !== undefined) && draft.notifyEmails === ''}
        error={capitalize(problems.notifyEmails)}
        placeholder="team@example.com"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => edit({ notifyEmails: event.currentTarget.value })}
      />
      <NativeSelect
        label={SETTING_NAMES.notifyWhen}
        value={draft.notifyWhen}
        disabled={draft.notifyEmails.trim() === ''}
        error={capitalize(problems.notifyWhen)}
        data={[...TIMES]}
        onChange={(event) => {
          const chosen = TIMES.find(({ value }) => value === event.currentTarget.value);
          if (chosen) edit({ notifyWhen: chosen.value });
        }}
      />
    </>
  );
}
