import { Alert, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Form } from '../components/form/form.tsx';
import card from '../components/page/card.module.css';
import type { ConnectedApp } from '../connect/queries.ts';
import { FormPreview } from '../connect/settings/form-preview.tsx';
import { SaveBar } from '../connect/settings/save-bar.tsx';
import { translatedTo } from '../connect/settings/settings-draft.ts';
import { TextFields } from '../connect/settings/text-fields.tsx';
import { ThemeFields } from '../connect/settings/theme-fields.tsx';
import { type SettingsEditor, useSettings } from '../connect/settings/use-settings.ts';
import { FIRST_VIEW, ViewTools } from '../connect/settings/view.tsx';
import { t } from '../texts/texts.ts';
import { appPath } from '../users/scope.ts';
import { Canvas } from './canvas/canvas.tsx';
import { type DraftState, withDefinitions } from './draft/draft.ts';
import { type DraftEditor, useDraft } from './draft/use-draft.ts';
import classes from './editor.module.css';
import { FieldPanel } from './field/field-panel.tsx';
import { JsonTab } from './json-tab.tsx';
import { TryForm } from './preview/try-form.tsx';
import { History } from './saving/history.tsx';
import { MergeDialog } from './saving/merge-dialog.tsx';
import { SaveDialog } from './saving/save-dialog.tsx';

export const TABS = ['fields', 'texts', 'design', 'json', 'versions'] as const;
export type Tab = (typeof TABS)[number];

interface EditorProps {
  app: ConnectedApp;
  newest: DraftState['base'];
  tab: Tab;
}

/** The form of an app: its fields, texts and design, which are two drafts that are saved as one. */
export function Editor({ app, newest, tab }: EditorProps) {
  const { sourceAppId } = app;
  const editor = useDraft(sourceAppId, newest);
  const settings = useSettings(app);
  const [saving, setSaving] = useState(false);
  const bar = (tab !== 'versions' || editor.conflict) && (
    <SaveBar
      settings={settings}
      schema={editor}
      onReview={() => setSaving(true)}
      onDiscard={() => editor.reset(newest)}
    >
      {editor.conflict && <Conflict sourceAppId={sourceAppId} editor={editor} newest={editor.conflict} />}
    </SaveBar>
  );
  const fields = editor.checked.definitions;
  return (
    <>
      {tab === 'texts' || tab === 'design' ? (
        <SettingsTab app={app} settings={settings} fields={fields} tab={tab} bar={bar} />
      ) : (
        bar
      )}
      {tab === 'fields' && editor.json !== undefined && <JsonFirst sourceAppId={sourceAppId} />}
      {tab === 'fields' && editor.json === undefined && (
        <Fields sourceAppId={sourceAppId} editor={editor} settings={settings} />
      )}
      {tab === 'json' && <JsonTab editor={editor} />}
      {tab === 'versions' && (
        <History
          sourceAppId={sourceAppId}
          editorVersion={newest.schema.version}
          onRestore={(schema, keyInBase) => editor.edit((draft) => withDefinitions(draft, schema, keyInBase))}
        />
      )}
      <SaveDialog
        sourceAppId={sourceAppId}
        editor={editor}
        settings={settings}
        opened={saving}
        onClose={() => setSaving(false)}
      />
    </>
  );
}

interface FieldsProps {
  sourceAppId: string;
  editor: DraftEditor;
  settings: SettingsEditor;
}

/** The form with the properties of the selected field beside it, or the form to try out. */
function Fields({ sourceAppId, editor, settings }: FieldsProps) {
  const { fields } = editor.draft;
  const [searchParams] = useSearchParams();
  // A link to the page may name a field, for example one to index.
  const [named] = useState(() => fields.find(({ definition }) => definition.key === searchParams.get('field'))?.id);
  const [selected, setSelected] = useState(named);
  const [mode, setMode] = useState('edit');
  const [view, setView] = useState(FIRST_VIEW);
  const [isMoreOpen, setMoreOpen] = useState(named !== undefined);
  const focus = useFocus(selected, named);
  const isNarrow = useMediaQuery('(max-width: 1100px)', window.innerWidth <= 1100, { getInitialValueInEffect: false });
  const field = fields.find(({ id }) => id === selected);
  const tags = translatedTo(settings.draft);
  const tag = tags.includes(view.tag) ? view.tag : '';
  const panel = field && (
    <FieldPanel
      key={field.id}
      field={field}
      editor={editor}
      isMoreOpen={isMoreOpen}
      onMore={setMoreOpen}
      onClose={() => setSelected(undefined)}
    />
  );
  return (
    <>
      <div className={classes.tools}>
        <SegmentedControl
          aria-label={t.schemaEditor.mode}
          size="xs"
          value={mode}
          onChange={setMode}
          data={[
            { value: 'edit', label: t.schemaEditor.edit },
            { value: 'try', label: t.schemaEditor.tryIt },
          ]}
        />
        <ViewTools view={{ ...view, tag }} tags={tags} onChange={(part) => setView({ ...view, ...part })} />
      </div>
      <div className={classes.columns}>
        {mode === 'try' ? (
          <aside aria-label={t.schemaEditor.preview}>
            <TryForm
              name={sourceAppId}
              schema={editor.checked.schema}
              settings={settings.draft}
              view={{ ...view, tag }}
              isPartial={editor.checked.problems.size > 0}
            />
          </aside>
        ) : (
          <Canvas
            name={sourceAppId}
            editor={editor}
            settings={settings}
            view={{ ...view, tag }}
            selected={selected}
            onSelect={setSelected}
            onFocus={focus}
            panel={isNarrow && panel}
          />
        )}
        {!isNarrow && (
          <aside className={classes.panel} aria-label={t.schemaEditor.properties}>
            {panel ?? <p className={classes.hint}>{t.schemaEditor.chooseField}</p>}
          </aside>
        )}
      </div>
    </>
  );
}

/** A menu returns the focus to its button 10 ms after it was closed. */
const AFTER_MENU_MS = 30;

/**
 * Returns what moves the focus to a field: to its label in the open properties, else to the button
 * over the field. The field that a link names gets it first.
 */
function useFocus(selected: number | undefined, named: number | undefined): (id: number) => void {
  const [wanted, setWanted] = useState(named);
  const current = useRef(selected);
  current.current = selected;
  useEffect(() => {
    if (wanted === undefined) return;
    const timer = setTimeout(() => {
      const row = document.querySelector<HTMLElement>(`[data-field="${wanted}"]`);
      const input = document.querySelector<HTMLInputElement>('[data-properties] input');
      const target = current.current === wanted ? input : row?.querySelector('button');
      target?.focus({ preventScroll: true });
      if (target instanceof HTMLInputElement) target.select();
      row?.scrollIntoView({ block: 'nearest' });
      target?.scrollIntoView({ block: 'nearest' });
      setWanted(undefined);
    }, AFTER_MENU_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  return setWanted;
}

interface SettingsTabProps {
  app: ConnectedApp;
  settings: SettingsEditor;
  fields: ConnectedApp['schema']['fields'];
  tab: 'texts' | 'design';
  bar: React.ReactNode;
}

/** The texts or the appearance of the form, beside the form as visitors get it. */
function SettingsTab({ app, settings, fields, tab, bar }: SettingsTabProps) {
  const [view, setView] = useState(FIRST_VIEW);
  const [shown, setShown] = useState('form');
  const texts = t.connect.settings;
  const tags = translatedTo(settings.draft);
  const tag = tags.includes(view.tag) ? view.tag : '';
  return (
    <Form noValidate onSubmit={settings.save}>
      {bar}
      <div className={classes.tools}>
        <SegmentedControl
          aria-label={texts.shownInPreview}
          size="xs"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'form', label: texts.formShown },
            { value: 'thanks', label: texts.thanksShown },
          ]}
        />
        <ViewTools
          view={{ ...view, tag }}
          tags={tab === 'design' ? tags : []}
          onChange={(part) => setView({ ...view, ...part })}
        />
      </div>
      <div className={classes.columns}>
        <section className={classes.shown} aria-label={texts.preview}>
          <FormPreview
            settings={settings.draft}
            sourceAppId={app.sourceAppId}
            fields={fields}
            view={{ ...view, tag }}
            isThanks={shown === 'thanks'}
          />
        </section>
        <section
          className={`${card.card} ${classes.settings}`}
          aria-label={tab === 'texts' ? texts.texts : t.connect.design}
        >
          {tab === 'texts' ? (
            <TextFields
              sourceAppId={app.sourceAppId}
              editor={settings}
              fields={fields}
              tag={tag}
              onTag={(next) => setView({ ...view, tag: next })}
            />
          ) : (
            <ThemeFields editor={settings} />
          )}
        </section>
      </div>
    </Form>
  );
}

/** The texts and the appearance, for somebody who may not change fields. */
export function SettingsEditorOnly({ app, tab }: { app: ConnectedApp; tab: 'texts' | 'design' }) {
  const settings = useSettings(app);
  const bar = <SaveBar settings={settings} isInForm />;
  return <SettingsTab app={app} settings={settings} fields={app.schema.fields} tab={tab} bar={bar} />;
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
function Conflict({ sourceAppId, editor, newest }: ConflictProps) {
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
