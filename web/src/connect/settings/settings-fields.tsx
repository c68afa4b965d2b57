import { NativeSelect, TextInput, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { CAPTCHA_PROVIDERS, CAPTCHA_WIDGETS } from '#src/features/display/captcha.ts';
import { AS_TYPED } from '../../components/form/input.ts';
import { t } from '../../texts/texts.ts';
import { isProvider } from '../captcha.ts';
import type { ConnectedApp } from '../queries.ts';
import { CaptchaFields } from './captcha-fields.tsx';
import { EmailFields } from './email-fields.tsx';
import { KnownPeopleField } from './known-people-field.tsx';
import { controlOf } from './setting-control.ts';
import own from './settings.module.css';
import type { SettingsEditor } from './use-settings.ts';

// Loaded on demand: its preview needs the kinds of fields.
const OwnFields = lazy(() => import('./own-fields.tsx').then((part) => ({ default: part.OwnFields })));

const OWN_PROTECTIONS = ['honeypot', 'proof-of-work', 'off'] as const;

/** The rules of the form, and its emails. */
export function SettingsFields({ app, editor }: { app: ConnectedApp; editor: SettingsEditor }) {
  const { draft, edit } = editor;
  const control = controlOf(editor);
  const protection = draft.botProtection;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className={own.fields}>
      <Title order={2} size="h4">
        {t.connect.settings.rules}
      </Title>
      <NativeSelect
        {...control('botProtection')}
        description={
          isProvider(protection) ? t.connect.settings.providerNote : t.connect.settings.protectionNotes[protection]
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={[
          ...OWN_PROTECTIONS.map((value) => ({ value, label: t.connect.settings.protections[value] })),
          ...CAPTCHA_PROVIDERS.map((value) => ({ value, label: CAPTCHA_WIDGETS[value].name })),
        ]}
        onChange={(event) => {
          const chosen = [...OWN_PROTECTIONS, ...CAPTCHA_PROVIDERS].find(
            (value) => value === event.currentTarget.value,
          );
          if (chosen) edit({ botProtection: chosen });
        }}
      />
      {isProvider(protection) && <CaptchaFields editor={editor} hasSecret={editor.providerWithSecret === protection} />}
      <TextInput {...control('closesAt')} type="datetime-local" description={t.connect.settings.closesAtNote(zone)} />
      <TextInput
        {...control('maxRecords')}
        description={t.connect.settings.maxRecordsNote}
        placeholder={t.connect.settings.noLimit}
        inputMode="numeric"
      />
      <KnownPeopleField scope={app} editor={editor} />
      <TextInput
        {...control('submitPerMinute')}
        description={t.connect.settings.submitPerMinuteNote}
        placeholder={t.connect.settings.serviceLimit}
        inputMode="numeric"
      />
      <TextInput
        {...control('timeZone')}
        description={t.connect.settings.timeZoneNote}
        placeholder={zone}
        list="time-zones"
        {...AS_TYPED}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <EmailFields app={app} editor={editor} />
      <Suspense fallback={null}>
        <OwnFields app={app} editor={editor} />
      </Suspense>
    </div>
  );
}
