import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { issuesOf } from '../api/call.ts';
import type { Webhook } from '../api/endpoints.ts';
import { DialogForm, type Sending } from '../components/form/form.tsx';
import { AS_TYPED, inputProps } from '../components/form/input.ts';
import { SettingLink } from '../texts/setting-link.tsx';
import { t } from '../texts/texts.ts';
import { EVENTS, FORMATS, hidesUrl } from './names.ts';

type Values = Pick<Webhook, 'events' | 'format'> & {
  /** Undefined: the stored one stays. */
  url?: string;
};

/** The problems of a URL that a setting of the service allows. */
const OF_SETTING: readonly (string | undefined)[] = ['notHttps', 'privateAddress'];

interface WebhookFormProps {
  /** Of a webhook that exists, with its `url` as the service shows it. */
  initial: Values;
  action: string;
  sending: Sending;
  onSubmit: (values: Values) => void;
  onCancel: () => void;
}

/** The receiver, the URL and the events of a webhook. */
export function WebhookForm({ initial, action, sending, onSubmit, onCancel }: WebhookFormProps) {
  const isHidden = initial.url !== undefined && hidesUrl(initial);
  const [url, setUrl] = useState(isHidden ? '' : (initial.url ?? ''));
  const [format, setFormat] = useState<Webhook['format']>(initial.format);
  const [events, setEvents] = useState<string[]>(initial.events);
  const keepsUrl = isHidden && url.trim() === '' && hidesUrl({ format });
  const submit = (): void => {
    const chosen = EVENTS.filter((type) => events.includes(type));
    onSubmit({ ...(!keepsUrl && { url: url.trim() }), format, events: chosen });
  };
  const ofUrl = issuesOf(sending.error).find(({ path }) => path === 'url');
  const ofEvents = issuesOf(sending.error).find(({ path }) => path.startsWith('events'));
  const { place } = t.webhooks.formats[format];
  return (
    <DialogForm
      noValidate
      action={action}
      sending={sending}
      error={ofUrl || ofEvents ? null : sending.error}
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
    </DialogForm>
  );
}
