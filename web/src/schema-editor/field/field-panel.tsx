import { CloseButton } from '@mantine/core';
import { t } from '../../texts/texts.ts';
import { changeField, type DraftField, type LooseDefinition } from '../draft/draft.ts';
import { KIND_NAMES } from '../draft/field-texts.ts';
import type { DraftEditor } from '../draft/use-draft.ts';
import { FieldForm } from './field-form.tsx';
import { fieldLabel } from './field-label.ts';
import classes from './field-panel.module.css';

interface FieldPanelProps {
  field: DraftField;
  editor: DraftEditor;
  isMoreOpen: boolean;
  onMore: (isOpen: boolean) => void;
  onClose: () => void;
}

/** The properties of the selected field. */
export function FieldPanel({ field, editor, isMoreOpen, onMore, onClose }: FieldPanelProps) {
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
