import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import card from '../../components/card.module.css';
import { count } from '../../components/count.ts';
import type { ConnectedApp } from '../queries.ts';
import { FormPreview } from './form-preview.tsx';
import own from './settings.module.css';
import { SETTING_NAMES, translatedTo } from './settings-draft.ts';
import { SettingsFields } from './settings-fields.tsx';
import { type SettingsEditor, useSettings } from './use-settings.ts';

/** The texts and rules of the form, with a preview. */
export function SettingsTab({ app }: { app: ConnectedApp }) {
  const editor = useSettings(app);
  const [chosen, setChosen] = useState('');
  const tag = translatedTo(editor.draft).includes(chosen) ? chosen : '';
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        editor.save();
      }}
    >
      {editor.theirs.length > 0 && <Conflict editor={editor} />}
      <SaveBar editor={editor} />
      <div className={own.columns}>
        <section className={card.card} aria-label="Form settings">
          <SettingsFields scope={app} editor={editor} tag={tag} onTag={setChosen} />
        </section>
        <aside className={own.preview} aria-label="Preview">
          <FormPreview settings={editor.draft} sourceAppId={app.sourceAppId} fields={app.schema.fields} tag={tag} />
        </aside>
      </div>
    </form>
  );
}

function SaveBar({ editor }: { editor: SettingsEditor }) {
  const { changed, isSaving, isSaved, theirs, error, problems } = editor;
  const isDirty = changed.length > 0;
  const invalid = Object.keys(problems).length;
  return (
    <div className={own.bar}>
      <Group gap="xs" aria-live="polite">
        {isDirty ? (
          <Badge variant="light" color="yellow" tt="none" size="lg">
            {count(changed.length, 'unsaved change')}
          </Badge>
        ) : (
          <Text size="sm" c="dimmed">
            {isSaved ? 'Saved. The settings are in force.' : 'No changes'}
          </Text>
        )}
        {invalid > 0 && (
          <Badge variant="light" color="red" tt="none" size="lg">
            {count(invalid, 'invalid setting')}
          </Badge>
        )}
      </Group>
      <Group gap="xs">
        <Button variant="default" disabled={!isDirty || isSaving} onClick={editor.discard}>
          Discard
        </Button>
        <Button type="submit" disabled={!isDirty || theirs.length > 0} loading={isSaving}>
          Save settings
        </Button>
      </Group>
      {editor.isRestored && (
        <Alert variant="light" color="indigo" className={own.notice ?? ''} p="xs">
          Your unsaved changes were restored.
        </Alert>
      )}
      {error && (
        <Alert variant="light" color="red" className={own.notice ?? ''} p="xs" role="alert">
          The settings were not saved: {error}.
        </Alert>
      )}
    </div>
  );
}

function Conflict({ editor }: { editor: SettingsEditor }) {
  const both = editor.theirs.filter((name) => editor.changed.includes(name));
  return (
    <Alert
      color="yellow"
      variant="light"
      role="alert"
      mb="md"
      title="Someone else saved these settings while you were editing them"
    >
      <Text size="sm">
        They changed: {editor.theirs.map((name) => SETTING_NAMES[name]).join(', ')}.
        {both.length > 0 && ` You changed too: ${both.map((name) => SETTING_NAMES[name]).join(', ')}.`}
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={editor.keepMine}>
          {both.length > 0 ? 'Overwrite theirs with my changes' : 'Keep my changes and theirs'}
        </Button>
        <Button size="xs" variant="default" onClick={editor.discard}>
          Discard my changes and load theirs
        </Button>
      </Group>
    </Alert>
  );
}
