import { CloseButton } from '@mantine/core';
import { withPagesMoved } from '../../connect/settings/settings-draft.ts';
import type { SettingsEditor } from '../../connect/settings/use-settings.ts';
import { t } from '../../texts/texts.ts';
import { changeField, type DraftField, type LooseDefinition } from '../draft/draft.ts';
import { KIND_NAMES } from '../draft/field-texts.ts';
import { beginPage, pagesIn } from '../draft/pages.ts';
import { MAX_PAGES } from '../draft/rules.ts';
import type { DraftEditor } from '../draft/use-draft.ts';
import { FieldForm } from './field-form.tsx';
import { fieldLabel } from './field-label.ts';
import classes from './field-panel.module.css';

interface FieldPanelProps {
  field: DraftField;
  editor: DraftEditor;
  settings: SettingsEditor;
  isMoreOpen: boolean;
  onMore: (isOpen: boolean) => void;
  onClose: () => void;
}

/** The properties of the selected field. */
export function FieldPanel({ field, editor, settings, isMoreOpen, onMore, onClose }: FieldPanelProps) {
  const { definition, id } = field;
  return (
    <div className={classes.panel} data-properties>
      <div className={classes.head}>
        <span className={classes.name}>
          <strong>{fieldLabel(definition)}</strong> <span className={classes.kind}>{KIND_NAMES[definition.kind]}</span>
        </span>
        <CloseButton aria-label={t.schemaEditor.closeProperties} onClick={onClose} />
      </div>
      <FieldForm
        definition={definition}
        problems={editor.checked.problems.get(id) ?? {}}
        earlier={earlierThan(editor.draft.fields, field)}
        onBeginPage={pageBeginner(field, editor, settings)}
        onChange={(part) => editor.edit((draft) => changeField(draft, id, part))}
        isMoreOpen={isMoreOpen}
        onMore={onMore}
      />
    </div>
  );
}

function earlierThan(fields: readonly DraftField[], field: DraftField): LooseDefinition[] {
  return fields.slice(0, fields.indexOf(field)).map(({ definition }) => definition);
}

/** What begins a page with a field; undefined if one begins there, or if there is no more page. */
function pageBeginner({ id }: DraftField, editor: DraftEditor, settings: SettingsEditor): (() => void) | undefined {
  const pages = [...pagesIn(editor.draft)];
  const at = pages.findIndex(([one]) => one === id);
  const page = pages[at]?.[1];
  const before = pages[at - 1]?.[1] ?? 1;
  if (page === undefined || page > before || pages.some(([, one]) => one === MAX_PAGES)) return undefined;
  return () => {
    editor.edit((draft) => beginPage(draft, id));
    settings.edit({ pages: withPagesMoved(settings.draft.pages, page + 1, 1) });
  };
}
