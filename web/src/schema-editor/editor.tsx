import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { t } from '../texts/texts.ts';
import { appPath } from '../users/scope.ts';
import { type DraftState, withDefinitions } from './draft/draft.ts';
import { type DraftEditor, useDraft } from './draft/use-draft.ts';
import classes from './editor.module.css';
import { FieldList } from './field/field-list.tsx';
import { JsonTab } from './json-tab.tsx';
import { Preview } from './preview/preview.tsx';
import { History } from './saving/history.tsx';
import { MergeDialog } from './saving/merge-dialog.tsx';
import { SaveDialog } from './saving/save-dialog.tsx';

export const TABS = ['fields', 'json', 'versions'] as const;

interface EditorProps {
  sourceAppId: string;
  newest: DraftState['base'];
  tab: (typeof TABS)[number];
}

export function Editor({ sourceAppId, newest, tab }: EditorProps) {
  const editor = useDraft(sourceAppId, newest);
  const [saving, setSaving] = useState(false);
  return (
    <>
      {(tab !== 'versions' || editor.conflict) && (
        <SaveBar sourceAppId={sourceAppId} editor={editor} newest={newest} onSave={() => setSaving(true)} />
      )}
      {tab === 'fields' && editor.json !== undefined && <JsonFirst sourceAppId={sourceAppId} />}
      {tab === 'fields' && editor.json === undefined && (
        <div className={classes.columns}>
          <FieldList editor={editor} />
          <aside className={classes.preview} aria-label={t.schemaEditor.preview}>
            <Preview schema={editor.checked.schema} isPartial={editor.checked.problems.size > 0} />
          </aside>
        </div>
      )}
      {tab === 'json' && <JsonTab editor={editor} />}
      {tab === 'versions' && (
        <History
          sourceAppId={sourceAppId}
          editorVersion={newest.schema.version}
          onRestore={(schema, keyInBase) => editor.edit((draft) => withDefinitions(draft, schema, keyInBase))}
        />
      )}
      <SaveDialog sourceAppId={sourceAppId} editor={editor} opened={saving} onClose={() => setSaving(false)} />
    </>
  );
}

interface SaveBarProps {
  sourceAppId: string;
  editor: DraftEditor;
  newest: DraftState['base'];
  onSave: () => void;
}

/** Stays in view while the page scrolls. */
function SaveBar({ sourceAppId, editor, newest, onSave }: SaveBarProps) {
  const invalidFields = editor.checked.problems.size;
  const hasJson = editor.json !== undefined;
  const [discarded, setDiscarded] = useState<DraftState>();
  const discard = (): void => {
    setDiscarded({ base: editor.base, draft: editor.draft, json: editor.json });
    editor.reset(newest);
  };
  return (
    <div className={classes.bar}>
      <Group gap="xs">
        {editor.isDirty ? (
          (editor.changes.length > 0 || !hasJson) && (
            <Badge color="yellow" size="lg">
              {t.common.unsavedChanges(editor.changes.length)}
            </Badge>
          )
        ) : (
          <Text c="dimmed">{discarded ? t.schemaEditor.changesDiscarded : t.schemaEditor.noChanges}</Text>
        )}
        {discarded && !editor.isDirty && (
          <Button variant="subtle" size="compact-sm" onClick={() => editor.restore(discarded)}>
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
      </Group>
      <Group gap="xs">
        <Button variant="default" disabled={!editor.isDirty} onClick={discard}>
          {t.schemaEditor.discard}
        </Button>
        <Button
          disabled={!editor.isDirty || hasJson || invalidFields > 0 || editor.conflict !== undefined}
          onClick={onSave}
        >
          {t.schemaEditor.review}
        </Button>
      </Group>
      {editor.conflict && <Conflict sourceAppId={sourceAppId} editor={editor} newest={editor.conflict} />}
      {editor.isRestored && !editor.conflict && (
        <Alert color="indigo" className={classes.notice ?? ''} p="xs">
          {t.schemaEditor.restored}
        </Alert>
      )}
    </div>
  );
}

/** Stands in for the fields while the JSON tab has a text that would replace their changes. */
function JsonFirst({ sourceAppId }: { sourceAppId: string }) {
  return (
    <Alert color="yellow" p="xs" title={t.schemaEditor.jsonNotApplied}>
      <Group justify="space-between" gap="xs">
        <Text>{t.schemaEditor.jsonFirst}</Text>
        <Button component={Link} href={appPath({ sourceAppId }, 'form/json')} size="xs" variant="default">
          {t.schemaEditor.goToJson}
        </Button>
      </Group>
    </Alert>
  );
}

interface ConflictProps {
  sourceAppId: string;
  editor: DraftEditor;
  newest: DraftState['base'];
}

/** Someone else saved a version while this draft was edited. Saving is disabled until a merge. */
export function Conflict({ sourceAppId, editor, newest }: ConflictProps) {
  const [merging, setMerging] = useState(false);
  const { version } = newest.schema;
  return (
    <Alert color="yellow" role="alert" p="xs" className={classes.notice ?? ''}>
      <Group justify="space-between" gap="xs">
        <Text>{t.schemaEditor.otherVersionSaved(version, editor.base.schema.version)}</Text>
        <Button size="xs" variant="default" disabled={editor.json !== undefined} onClick={() => setMerging(true)}>
          {t.schemaEditor.merge}
        </Button>
      </Group>
      <MergeDialog
        sourceAppId={sourceAppId}
        editor={editor}
        newest={newest}
        opened={merging}
        onClose={() => setMerging(false)}
      />
    </Alert>
  );
}
