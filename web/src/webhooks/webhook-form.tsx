import { Checkbox, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { issuesOf } from '../api/call.ts';
import type { Webhook } from '../api/endpoints.ts';
import { DialogForm, type Sending } from '../components/form/form.tsx';
import { AS_TYPED, inputProps } from '../components/form/input.ts';
import { SettingLink } from '../texts/setting-link.tsx';
import { t } from '../texts/texts.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import type { Scope } from '../users/scope.ts';
import { EVENTS, FORMATS, hidesUrl } from './names.ts';

// Loaded on demand: it needs the kinds of fields.
const RecordConditionsControl = lazy(() =>
  import('../record-conditions/record-conditions-control.tsx').then((part) => ({
    default: part.RecordConditionsControl,
  })),
);

type Values = Pick<Webhook, 'events' | 'format'> & {
  /** Undefined: the stored one stays. */
  url?: string;
  if?: Webhook['if'] | null;
};

/** The problems of a URL that a setting of the service allows. */
const OF_SETTING: readonly (string | undefined)[] = ['notHttps', 'privateAddress'];

interface WebhookFormProps {
  scope: Scope;
  /** Of a webhook that exists, with its `url` as the service shows it. */
  initial: Values;
  action: string;
  sending: Sending;
  onSubmit: (values: Values) => void;
  onCancel: () => void;
}

/** The receiver, the URL and the events of a webhook. */
export function WebhookForm({ scope, initial, action, sending, onSubmit, onCancel }: WebhookFormProps) {
  const { data: schema } = useQuery(scopedSchemaQuery(scope));
  const isHidden = initial.url !== undefined && hidesUrl(initial);
  const [url, setUrl] = useState(isHidden ? '' : (initial.url ?? ''));
  const [format, setFormat] = useState<Webhook['format']>(initial.format);
  const [events, setEvents] = useState<string[]>(initial.events);
  const [conditions, setConditions] = useState(initial.if ?? undefined);
  const keepsUrl = isHidden && url.trim() === '' && hidesUrl({ format });
  const submit = (): void => {
    const chosen = EVENTS.filter((type) => events.includes(type));
    onSubmit({ ...(!keepsUrl && { url: url.trim() }), format, events: chosen, if: conditions ?? null });
  };
  const ofUrl = issuesOf(sending.error).find(({ path }) => path === 'url');
  const ofEvents = issuesOf(sending.error).find(({ path }) => path.startsWith('events'));
  const ofConditions = issuesOf(sending.error).filter(({ path }) => /^if\b/.test(path));
  const { place } = t.webhooks.formats[format];
  return (
    <DialogForm
      noValidate
      action={action}
      sending={sending}
      error={ofUrl || ofEvents || ofConditions.length > 0 ? null : sending.error}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <NativeSelect
        label={t.webhooks.receiver}
        data={FORMATS.map((value) => ({ value, label: t.webhooks.formats[value].name }))}
        value={format}
        onChange={(event) => setFormat(FORMATS.find((value) => value === event.currentTarget.value) ?? format)}
      />
      <TextInput
        label="URL"
        description={isHidden ? t.webhooks.secretUrl(place) : place}
        placeholder={isHidden ? initial.url : 'https://example.com/hooks'}
        inputMode="url"
        autoComplete="off"
        {...AS_TYPED}
        required={!isHidden}
        data-autofocus
        maxLength={2_000}
        {...inputProps(url, setUrl)}
        error={
          ofUrl && (
            <>
              {t.webhooks.wrongUrl(ofUrl.message)}
              {OF_SETTING.includes(ofUrl.code) && t.webhooks.otherUrls(<SettingLink name="WEBHOOKS_ALLOW_PRIVATE" />)}
            </>
          )
        }
      />
      <Checkbox.Group
        label={t.webhooks.eventsToSend}
        value={events}
        onChange={setEvents}
        error={ofEvents && t.webhooks.noEvents}
      >
        <Stack gap="xs" mt="xs">
          {EVENTS.map((type) => {
            const { name, note } = t.webhooks.events[type];
            return <Checkbox key={type} value={type} label={name} description={note} />;
          })}
        </Stack>
      </Checkbox.Group>
      {schema && (
        <Suspense fallback={null}>
          <RecordConditionsControl
            scope={scope}
            fields={schema.fields}
            value={conditions}
            problems={Object.fromEntries(ofConditions.map(({ path, message }) => [path, message]))}
            onChange={(next) => setConditions(next as Webhook['if'])}
          />
          <Text size="xs" c="dimmed">
            {t.webhooks.conditionsNote}
          </Text>
        </Suspense>
      )}
    </DialogForm>
  );
}
