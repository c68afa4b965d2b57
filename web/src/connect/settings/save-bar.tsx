import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { DraftState as SchemaState } from '../../schema-editor/draft/draft.ts';
import type { DraftEditor } from '../../schema-editor/draft/use-draft.ts';
import { t } from '../../texts/texts.ts';
import own from './settings.module.css';
import type { SettingName, SettingsDraft } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

interface SaveBarProps {
  settings: SettingsEditor;
  /** The draft of the fields, which is saved with the settings. */
  schema?: DraftEditor | undefined;
  /** Shows the changes of the fields before they are saved. */
  onReview?: () => void;
  /** Discards the changes of the fields. */
  onDiscard?: () => void;
  /** Whether it is in a form, which saves the settings. */
  isInForm?: boolean;
  children?: ReactNode;
}

/** What is not saved yet, of the settings and of the fields, with one button. Stays in view. */
export function SaveBar({ settings, schema, onReview, onDiscard, isInForm = false, children }: SaveBarProps) {
  const { changed, isSaving, isSaved, theirs, error, problems } = settings;
  const [discarded, setDiscarded] = useState<{ schema: SchemaState | undefined; settings: SettingsDraft }>();
  const texts = t.connect.settings;
  const hasJson = schema?.json !== undefined;
  const changes = changed.length + (schema?.changes.length ?? 0);
  const isDirty = changed.length > 0 || schema?.isDirty === true;
  // Later changes end the way back: it would replace what was saved since.
  if (isDirty && discarded) setDiscarded(undefined);
  const invalid = Object.keys(problems).length;
  const invalidFields = schema?.checked.problems.size ?? 0;
  // The stored secret may not be that of the site key.
  const needsSecret = changed.includes('captchaSiteKey') && settings.draft.captchaSecret === '';
  const isRestored = settings.isRestored || (schema?.isRestored === true && !schema.conflict);
  const discard = (): void => {
    setDiscarded({
      schema: schema && { base: schema.base, draft: schema.draft, json: schema.json },
      settings: settings.draft,
    });
    settings.discard();
    onDiscard?.();
  };
  const undo = (): void => {
    if (!discarded) return;
    settings.edit(discarded.settings);
    if (discarded.schema) schema?.restore(discarded.schema);
  };
  const cannotSave = theirs.length > 0 || hasJson || invalidFields > 0 || schema?.conflict !== undefined;
  return (
    <div className={own.bar} data-idle={(!isDirty && !isSaved && !discarded && !children) || undefined}>
      <Group gap="xs" aria-live="polite">
        {isDirty && (changes > 0 || !hasJson) && (
          <Badge color="yellow" size="lg">
            {t.common.unsavedChanges(changes)}
          </Badge>
        )}
        {!isDirty && <Text c="dimmed">{isSaved ? texts.saved : discarded ? texts.discarded : texts.noChanges}</Text>}
        {!isDirty && discarded && (
          <Button variant="subtle" size="compact-sm" onClick={undo}>
            {t.common.undo}
          </Button>
        )}
        {hasJson && (
          <Badge color="red" size="lg">
            {t.schemaEditor.jsonNotApplied}
          </Badge>
        )}
        {invalidFields > 0 && (
          <Badge color="red" size="lg">
            {t.schemaEditor.invalidFields(invalidFields)}
          </Badge>
        )}
        {invalid > 0 && (
          <Badge color="red" size="lg">
            {texts.invalid(invalid)}
          </Badge>
        )}
      </Group>
      <Group gap="xs">
        <Button variant="default" disabled={!isDirty || isSaving} onClick={discard}>
          {texts.discard}
        </Button>
        {schema?.isDirty || (schema && !isDirty) ? (
          <Button disabled={!isDirty || cannotSave} onClick={onReview}>
            {t.schemaEditor.review}
          </Button>
        ) : (
          <Button
            disabled={!isDirty || cannotSave}
            loading={isSaving}
            {...(isInForm ? { type: 'submit' } : { onClick: settings.save })}
          >
            {texts.save}
          </Button>
        )}
      </Group>
      {children}
      {isRestored && (
        <Alert color="indigo" className={own.notice ?? ''} p="xs">
          {texts.restored} {needsSecret && texts.secretNotKept}
        </Alert>
      )}
      {theirs.length > 0 && <Conflict editor={settings} />}
      {error && (
        <Alert color="red" className={own.notice ?? ''} p="xs" role="alert">
          {texts.notSaved(error)}
        </Alert>
      )}
    </div>
  );
}

/** Someone else changed settings of this form. */
function Conflict({ editor }: { editor: SettingsEditor }) {
  const both = editor.theirs.filter((name) => editor.changed.includes(name));
  const texts = t.connect.settings;
  return (
    <Alert color="yellow" role="alert" className={own.notice ?? ''} title={texts.conflict}>
      <Text>
        {texts.theyChanged(namesOf(editor.theirs))}
        {both.length > 0 && ` ${texts.youChangedToo(namesOf(both))}`}
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={editor.keepMine}>
          {both.length > 0 ? texts.overwrite : texts.keepBoth}
        </Button>
        <Button size="xs" variant="default" onClick={editor.discard}>
          {texts.discardMine}
        </Button>
      </Group>
    </Alert>
  );
}

export function namesOf(settings: readonly SettingName[]): string {
  return settings.map((name) => t.connect.settings.names[name]).join(', ');
}
