import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Form } from '../../components/form/form.tsx';
import card from '../../components/page/card.module.css';
import { t } from '../../texts/texts.ts';
import type { ConnectedApp } from '../queries.ts';
import { FormPreview } from './form-preview.tsx';
import own from './settings.module.css';
import type { SettingName } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

interface BesidePreviewProps {
  app: ConnectedApp;
  editor: SettingsEditor;
  /** The name of the section with the inputs. */
  label: string;
  /** The language of the preview; empty: the one of the texts. */
  tag?: string;
  /** Whether the preview has a choice of devices. */
  hasDevices?: boolean;
  children: ReactNode;
}

/** Inputs of the form settings with their save bar, beside the form as visitors get it. */
export function BesidePreview({ app, editor, label, tag = '', hasDevices, children }: BesidePreviewProps) {
  return (
    <Form noValidate onSubmit={editor.save}>
      {editor.theirs.length > 0 && <Conflict editor={editor} />}
      <SaveBar editor={editor} />
      <div className={own.columns}>
        <section className={card.card} aria-label={label}>
          {children}
        </section>
        <aside className={own.preview} aria-label={t.connect.settings.preview}>
          <FormPreview
            settings={editor.draft}
            sourceAppId={app.sourceAppId}
            fields={app.schema.fields}
            tag={tag}
            {...(hasDevices && { hasDevices })}
          />
        </aside>
      </div>
    </Form>
  );
}

function SaveBar({ editor }: { editor: SettingsEditor }) {
  const { changed, isSaving, isSaved, theirs, error, problems } = editor;
  const isDirty = changed.length > 0;
  // The stored secret may not be that of the site key.
  const needsSecret = changed.includes('captchaSiteKey') && editor.draft.captchaSecret === '';
  const invalid = Object.keys(problems).length;
  return (
    <div className={own.bar}>
      <Group gap="xs" aria-live="polite">
        {isDirty ? (
          <Badge color="yellow" size="lg">
            {t.common.unsavedChanges(changed.length)}
          </Badge>
        ) : (
          <Text c="dimmed">{isSaved ? t.connect.settings.saved : t.connect.settings.noChanges}</Text>
        )}
        {invalid > 0 && (
          <Badge color="red" size="lg">
            {t.connect.settings.invalid(invalid)}
          </Badge>
        )}
      </Group>
      <Group gap="xs">
        <Button variant="default" disabled={!isDirty || isSaving} onClick={editor.discard}>
          {t.connect.settings.discard}
        </Button>
        <Button type="submit" disabled={!isDirty || theirs.length > 0} loading={isSaving}>
          {t.connect.settings.save}
        </Button>
      </Group>
      {editor.isRestored && (
        <Alert color="indigo" className={own.notice ?? ''} p="xs">
          {t.connect.settings.restored} {needsSecret && t.connect.settings.secretNotKept}
        </Alert>
      )}
      {error && (
        <Alert color="red" className={own.notice ?? ''} p="xs" role="alert">
          {t.connect.settings.notSaved(error)}
        </Alert>
      )}
    </div>
  );
}

function Conflict({ editor }: { editor: SettingsEditor }) {
  const both = editor.theirs.filter((name) => editor.changed.includes(name));
  return (
    <Alert color="yellow" role="alert" mb="md" title={t.connect.settings.conflict}>
      <Text>
        {t.connect.settings.theyChanged(namesOf(editor.theirs))}
        {both.length > 0 && ` ${t.connect.settings.youChangedToo(namesOf(both))}`}
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={editor.keepMine}>
          {both.length > 0 ? t.connect.settings.overwrite : t.connect.settings.keepBoth}
        </Button>
        <Button size="xs" variant="default" onClick={editor.discard}>
          {t.connect.settings.discardMine}
        </Button>
      </Group>
    </Alert>
  );
}

function namesOf(settings: readonly SettingName[]): string {
  return settings.map((name) => t.connect.settings.names[name]).join(', ');
}
