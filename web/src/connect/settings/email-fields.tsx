import { Checkbox, NativeSelect, Text, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { AS_TYPED, checkboxProps } from '../../components/form/input.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import { scopeParameter } from '../../users/scope.ts';
import { type ConnectedApp, mailStatusQuery } from '../queries.ts';
import type { SettingsEditor } from './use-settings.ts';

// Loaded on demand: its preview needs the kinds of fields.
const ReplyFields = lazy(() => import('./reply-fields.tsx').then((part) => ({ default: part.ReplyFields })));

// Loaded on demand: its conditions need the kinds of fields.
const RouteFields = lazy(() => import('./route-fields.tsx').then((part) => ({ default: part.RouteFields })));

const TIMES = ['each', 'daily'] as const;

/** The inputs of the emails of an app. Those that the service cannot send can only be unset. */
export function EmailFields({ app, editor }: { app: ConnectedApp; editor: SettingsEditor }) {
  const { draft, problems, edit } = editor;
  const { data: status } = useQuery(mailStatusQuery(scopeParameter(app)));
  const cannotSend = status?.mail === false ? t.connect.settings.noMail : undefined;
  const cannotLink = cannotSend ?? (status?.links === false ? t.connect.settings.noLinks : undefined);
  const isUnknown = status === undefined;
  return (
    <>
      <Title order={2} size="h4" mt="md">
        {t.connect.settings.email}
      </Title>
      {cannotSend && <Text c="dimmed">{cannotSend}</Text>}
      <Checkbox
        label={t.connect.settings.names.doubleOptIn}
        description={cannotLink && !cannotSend ? cannotLink : t.connect.settings.doubleOptInNote}
        {...checkboxProps(draft.doubleOptIn === 'on', (isChecked) => edit({ doubleOptIn: isChecked ? 'on' : '' }))}
        disabled={(isUnknown || cannotLink !== undefined) && draft.doubleOptIn !== 'on'}
        error={capitalize(problems.doubleOptIn)}
      />
      <Textarea
        label={t.connect.settings.names.notifyEmails}
        description={t.connect.settings.notifyEmailsNote}
        rows={2}
        value={draft.notifyEmails}
        disabled={(isUnknown || cannotSend !== undefined) && draft.notifyEmails === ''}
        error={capitalize(problems.notifyEmails)}
        placeholder="team@example.com"
        inputMode="email"
        {...AS_TYPED}
        onChange={(event) => edit({ notifyEmails: event.currentTarget.value })}
      />
      <NativeSelect
        label={t.connect.settings.names.notifyWhen}
        value={draft.notifyWhen}
        disabled={draft.notifyEmails.trim() === '' && draft.notifyRoutes === ''}
        error={capitalize(problems.notifyWhen)}
        data={TIMES.map((value) => ({ value, label: t.connect.settings.times[value] }))}
        onChange={(event) => {
          const chosen = TIMES.find((value) => value === event.currentTarget.value);
          if (chosen) edit({ notifyWhen: chosen });
        }}
      />
      <Suspense fallback={null}>
        <RouteFields app={app} editor={editor} isDisabled={isUnknown || cannotSend !== undefined} />
        <ReplyFields
          editor={editor}
          sourceAppId={app.sourceAppId}
          fields={app.schema.fields}
          isDisabled={isUnknown || cannotSend !== undefined}
        />
      </Suspense>
    </>
  );
}
