import { Button, Checkbox, Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ServiceText } from '#src/core/fields/base/kind.ts';
import { fieldMarkup, formFields, type Markup } from '#src/features/display/markup.ts';
import { withPreset } from '#src/features/display/theme.ts';
import { fillText } from '#src/platform/languages/catalogue.ts';
import { PLAIN_NUMBERS } from '#src/platform/languages/texts.ts';
import { PlusIcon } from '../../components/icons.tsx';
import { imagesOf } from '../../connect/settings/rendered-form.ts';
import { themeIn, withPagesMoved } from '../../connect/settings/settings-draft.ts';
import type { SettingsEditor } from '../../connect/settings/use-settings.ts';
import type { View } from '../../connect/settings/view.tsx';
import { directionOf, useServiceTexts } from '../../languages/languages.ts';
import { t } from '../../texts/texts.ts';
import { addField, type Draft, type DraftField, duplicateField, nextId, removeField } from '../draft/draft.ts';
import { beginPage, joinPage, moveBy, moveTo, pagesIn } from '../draft/pages.ts';
import { PALETTE } from '../draft/palette.ts';
import { formControls, MAX_FIELDS, MAX_PAGES, publicFields } from '../draft/rules.ts';
import type { DraftEditor } from '../draft/use-draft.ts';
import { fieldLabel } from '../field/field-label.ts';
import classes from './canvas.module.css';
import { surfaceStyles, useFormSheet } from './canvas-sheet.ts';
import { FieldRow } from './field-row.tsx';
import { FormPart } from './form-part.tsx';
import { FormText } from './form-text.tsx';
import { PageHead } from './page-head.tsx';

interface CanvasProps {
  /** The name of the app, which stands in for a title. */
  name: string;
  editor: DraftEditor;
  settings: SettingsEditor;
  view: View;
  selected: number | undefined;
  onSelect: (id: number | undefined) => void;
  /** Moves the focus to the properties of a field, or to the field if they are closed. */
  onFocus: (id: number) => void;
  /** Shows the properties below the selected field; absent: beside the form. */
  panel: ReactNode;
}

/**
 * The form as visitors get it, with each field and text to edit. Fields move by mouse and by key.
 */
export function Canvas(props: CanvasProps) {
  const { editor, settings, view, selected } = props;
  const { fields } = editor.draft;
  const [dragged, setDragged] = useState<number>();
  const [removed, setRemoved] = useState<{ field: DraftField; before: Draft }>();
  const [announcement, setAnnouncement] = useState('');
  const pages = pagesIn(editor.draft);
  const lang = view.tag || settings.draft.locale || 'en';
  const service = useServiceTexts(lang);
  const theme = withPreset(themeIn(settings.draft));
  const scheme = theme.scheme === undefined || theme.scheme === 'auto' ? view.scheme : theme.scheme;
  const sheet = useFormSheet({ ...theme, scheme });
  const surfaces = surfaceStyles({ ...theme, scheme });
  const rendered = useRendered(editor, lang, (code, params = {}) => fillText(service, code, params, PLAIN_NUMBERS));

  const change = (edit: (draft: Draft) => Draft): void => editor.edit(edit);
  const say = (id: number, before: readonly DraftField[], after: Draft): void => {
    const field = before.find((one) => one.id === id);
    const at = after.fields.findIndex((one) => one.id === id);
    if (field) setAnnouncement(t.schemaEditor.moved(fieldLabel(field.definition), at + 1, after.fields.length));
  };
  const move = (id: number, by: -1 | 1): void => {
    const after = moveBy(editor.draft, id, by);
    if (after === editor.draft) return;
    change((draft) => moveBy(draft, id, by));
    say(id, fields, after);
  };
  const drop = (to: number, page: number): void => {
    if (dragged === undefined || (fields[to]?.id === dragged && (pages.get(dragged) ?? page) === page)) return;
    change((draft) => moveTo(draft, dragged, to, page));
  };
  /** Moves the dragged field to the beginning of a page, whose first field has an index. */
  const dropOnPage = (index: number, page: number): void => {
    const from = fields.findIndex(({ id }) => id === dragged);
    drop(from < index ? index - 1 : index, page);
  };
  const add = (edit: (draft: Draft) => Draft): void => {
    const id = nextId(editor.draft);
    change(edit);
    props.onSelect(id);
    props.onFocus(id);
  };
  const begin = (id: number, page: number): void => {
    change((draft) => beginPage(draft, id));
    settings.edit({ pages: withPagesMoved(settings.draft.pages, page + 1, 1) });
  };
  const remove = (field: DraftField): void => {
    setRemoved({ field, before: editor.draft });
    change((draft) => removeField(draft, field.id));
    if (selected === field.id) props.onSelect(undefined);
  };
  // Discarding all changes restores the field too.
  const isRestored = fields.some(({ id }) => id === removed?.field.id);
  const undoRemoval = (): void => {
    if (removed) {
      const at = removed.before.fields.indexOf(removed.field);
      const page = pagesIn(removed.before).get(removed.field.id) ?? 1;
      change((draft) => moveTo({ ...draft, fields: [...draft.fields, removed.field] }, removed.field.id, at, page));
      props.onFocus(removed.field.id);
    }
    setRemoved(undefined);
  };

  let last = 0;
  const isFull = [...pages.values()].some((page) => page === MAX_PAGES);
  const hasPages = new Set(pages.values()).size > 1 || [...pages.values()].some((page) => page > 1);
  return (
    <section className={classes.canvas} aria-label={t.schemaEditor.titles.fields}>
      <div className={classes.around} style={surfaces.page}>
        <div
          className={classes.sheet}
          style={surfaces.sheet}
          data-device={view.device}
          lang={lang}
          dir={directionOf(lang)}
          data-canvas
        >
          <FormPart content={imagesOf(theme, scheme)} sheet={sheet} />
          <FormText
            name="title"
            part="title"
            placeholder={settings.draft.name || props.name}
            settings={settings}
            language={view.tag}
            sheet={sheet}
          />
          <FormText
            name="description"
            part="text"
            placeholder={t.schemaEditor.addDescription}
            settings={settings}
            language={view.tag}
            sheet={sheet}
          />
          <ol className={classes.fields}>
            {hasPages && (
              <PageHead
                page={1}
                settings={settings}
                language={view.tag}
                sheet={sheet}
                onDragOver={() => drop(0, 1)}
                onJoin={undefined}
              />
            )}
            <li className={classes.fixed} title={t.schemaEditor.emailIsFixed}>
              <FormPart content={rendered.email} sheet={sheet} />
            </li>
            {fields.map((field, index) => {
              const { id } = field;
              const page = pages.get(id);
              const before = Math.max(last, 1);
              const begins = page !== undefined && page > before;
              if (page !== undefined) last = page;
              const onPage = page ?? before;
              return [
                begins && (
                  <PageHead
                    key={`page ${page}`}
                    page={page}
                    settings={settings}
                    language={view.tag}
                    sheet={sheet}
                    onDragOver={() => dropOnPage(index, page)}
                    onJoin={() => {
                      change((draft) => joinPage(draft, id, page - before));
                      settings.edit({ pages: withPagesMoved(settings.draft.pages, page, before - page) });
                    }}
                  />
                ),
                <FieldRow
                  key={id}
                  field={field}
                  problems={editor.checked.problems.get(id)}
                  isSelected={selected === id}
                  isDragged={dragged === id}
                  isFirst={index === 0}
                  isLast={index === fields.length - 1}
                  actions={{
                    onSelect: () => props.onSelect(selected === id ? undefined : id),
                    onDragStart: () => setDragged(id),
                    onDragOver: () => dragged !== undefined && dragged !== id && drop(index, onPage),
                    onDragEnd: () => setDragged(undefined),
                    onMove: (by) => move(id, by),
                    onDuplicate: () => add((draft) => duplicateField(draft, id)),
                    onRemove: () => remove(field),
                    onBeginPage: page === undefined || begins || isFull ? undefined : () => begin(id, page),
                  }}
                  panel={selected === id && props.panel}
                >
                  {rendered.fields.has(id) && <FormPart content={rendered.fields.get(id) ?? []} sheet={sheet} />}
                </FieldRow>,
              ];
            })}
          </ol>
          {fields.length === 0 && <p className={classes.none}>{t.schemaEditor.noFields}</p>}
          {removed && !isRestored && (
            <div className={classes.removed} role="status">
              {t.schemaEditor.removed(fieldLabel(removed.field.definition))}
              <Button variant="subtle" size="compact-sm" onClick={undoRemoval}>
                {t.common.undo}
              </Button>
            </div>
          )}
          <div className={classes.foot}>
            <FormText
              name="submitLabel"
              part="send"
              placeholder={String(service.send)}
              settings={settings}
              language={view.tag}
              sheet={sheet}
            />
          </div>
        </div>
      </div>
      <div className={classes.below}>
        <AddField
          isFull={fields.length >= MAX_FIELDS}
          onAdd={(field) => add((draft) => addField(draft, field, selected))}
        />
        <Checkbox
          label={t.schemaEditor.rejectUnknown}
          checked={editor.draft.rejectUnknown}
          onChange={({ currentTarget: { checked } }) => change((draft) => ({ ...draft, rejectUnknown: checked }))}
        />
      </div>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </section>
  );
}

type Palette = (typeof PALETTE)[number]['fields'][number];

/** The palette of fields. A new one stands after the selected field, or at the end. */
function AddField({ isFull, onAdd }: { isFull: boolean; onAdd: (field: Palette) => void }) {
  return (
    <Menu position="bottom-start" width={340}>
      <Menu.Target>
        <Button leftSection={<PlusIcon size={16} />} disabled={isFull}>
          {t.schemaEditor.addField}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.palette}>
          {PALETTE.map(({ title, fields }) => [
            <Menu.Label key={title} className={classes.group ?? ''}>
              {title}
            </Menu.Label>,
            ...fields.map((field) => (
              <Menu.Item key={field.label} onClick={() => onAdd(field)}>
                {field.label}
              </Menu.Item>
            )),
          ])}
        </div>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The markup of the email and of each valid field that visitors see, by its id. */
function useRendered({ draft, checked }: DraftEditor, tag: string, text: ServiceText) {
  const valid = draft.fields.filter(({ id }) => !checked.problems.has(id));
  const ids = new Map(valid.map(({ definition, id }) => [definition.key, id]));
  const [email, ...others] = formFields(formControls(publicFields(checked.definitions), tag, text), text('email'));
  const shown = others.filter(({ control }) => !control.hidden && control.source === undefined);
  const inForm = (markup: Markup): Markup[] => [['div', { class: 'form' }, markup]];
  return {
    email: email ? inForm(fieldMarkup(email)) : [],
    fields: new Map(shown.map((field) => [ids.get(field.control.key), inForm(fieldMarkup(field))])),
  };
}
