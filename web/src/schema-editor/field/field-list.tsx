import { Button, Checkbox, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { PlusIcon } from '../../components/icons.tsx';
import { t } from '../../texts/texts.ts';
import {
  addField,
  type Draft,
  type DraftField,
  duplicateField,
  KINDS,
  moveField,
  nextId,
  removeField,
} from '../draft/draft.ts';
import { KIND_NAMES } from '../draft/field-texts.ts';
import { MAX_FIELDS } from '../draft/rules.ts';
import type { DraftEditor } from '../draft/use-draft.ts';
import { FieldCard } from './field-card.tsx';
import classes from './field-list.module.css';

/** Lists the fields, which move by dragging, with buttons or with Alt and arrow keys. */
export function FieldList({ editor }: { editor: DraftEditor }) {
  const { fields, rejectUnknown } = editor.draft;
  const [searchParams] = useSearchParams();
  const [dragged, setDragged] = useState<number>();
  // A link to the page may name a field, for example one to index.
  const [named] = useState(() => fields.find(({ definition }) => definition.key === searchParams.get('field'))?.id);
  const [openId, setOpenId] = useState(named);
  const [removed, setRemoved] = useState<{ field: DraftField; at: number }>();
  const [announcement, setAnnouncement] = useState('');
  // The field that was added or named last; its card takes the focus once.
  const [addedId, setAddedId] = useState(named);

  const move = (field: DraftField, to: number): void => {
    if (to < 0 || to >= fields.length) return;
    editor.edit((draft) => moveField(draft, field.id, to));
    setAnnouncement(t.schemaEditor.moved(field.definition.label, to + 1, fields.length));
  };
  const remove = (field: DraftField): void => {
    setRemoved({ field, at: fields.indexOf(field) });
    editor.edit((draft) => removeField(draft, field.id));
  };
  // Discarding all changes restores the field too.
  const isRestored = fields.some(({ id }) => id === removed?.field.id);
  const add = (change: (draft: Draft) => Draft): void => {
    const id = nextId(editor.draft);
    editor.edit(change);
    setOpenId(id);
    setAddedId(id);
  };
  const undoRemoval = (): void => {
    if (removed) {
      editor.edit((draft) => ({ ...draft, fields: draft.fields.toSpliced(removed.at, 0, removed.field) }));
      setAddedId(removed.field.id);
    }
    setRemoved(undefined);
  };
  return (
    <section aria-label={t.schemaEditor.titles.fields}>
      {fields.length === 0 && (
        <Text size="md" c="dimmed" className={classes.none ?? ''}>
          {t.schemaEditor.noFields}
        </Text>
      )}
      <ol className={classes.list}>
        {fields.map((field, index) => (
          <FieldCard
            key={field.id}
            field={field}
            editor={editor}
            isOpen={openId === field.id}
            isAdded={addedId === field.id}
            onFocused={() => setAddedId(undefined)}
            onDuplicate={() => add((draft) => duplicateField(draft, field.id))}
            onToggle={() => setOpenId(openId === field.id ? undefined : field.id)}
            isDragged={dragged === field.id}
            onDragStart={() => setDragged(field.id)}
            onDragOver={() => {
              const moved = fields.find(({ id }) => id === dragged);
              if (moved && moved !== field) move(moved, index);
            }}
            onDragEnd={() => setDragged(undefined)}
            onMove={(by) => move(field, index + by)}
            isFirst={index === 0}
            isLast={index === fields.length - 1}
            onRemove={() => remove(field)}
          />
        ))}
      </ol>
      {removed && !isRestored && (
        <div className={classes.removed} role="status">
          {t.schemaEditor.removed(removed.field.definition.label)}
          <Button variant="subtle" size="compact-sm" onClick={undoRemoval}>
            {t.common.undo}
          </Button>
        </div>
      )}
      <div className={classes.foot}>
        <Menu position="bottom-start">
          <Menu.Target>
            <Button variant="default" leftSection={<PlusIcon size={16} />} disabled={fields.length >= MAX_FIELDS}>
              {t.schemaEditor.addField}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {KINDS.map((kind) => (
              <Menu.Item key={kind} onClick={() => add((draft) => addField(draft, kind))}>
                {KIND_NAMES[kind]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Checkbox
          label={t.schemaEditor.rejectUnknown}
          checked={rejectUnknown}
          onChange={({ currentTarget: { checked } }) => editor.edit((draft) => ({ ...draft, rejectUnknown: checked }))}
        />
      </div>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </section>
  );
}
