import { Button, Checkbox, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { PlusIcon } from '../components/icons.tsx';
import { addField, type DraftField, KINDS, moveField, removeField } from './draft.ts';
import { FieldCard } from './field-card.tsx';
import classes from './field-list.module.css';
import { KIND_NAMES } from './kind-names.ts';
import { MAX_FIELDS } from './rules.ts';
import type { SchemaWork } from './use-work.ts';

/** The fields in their order; they are moved with the mouse, with buttons, or with Alt and the arrow keys. */
export function FieldList({ work }: { work: SchemaWork }) {
  const { fields, rejectUnknown } = work.draft;
  const [dragged, setDragged] = useState<number>();
  const [openId, setOpenId] = useState<number>();
  const [removed, setRemoved] = useState<{ field: DraftField; at: number }>();
  const [said, setSaid] = useState('');

  const move = (field: DraftField, to: number): void => {
    if (to < 0 || to >= fields.length) return;
    work.edit((draft) => moveField(draft, field.id, to));
    setSaid(`${field.definition.label} is now at place ${to + 1} of ${fields.length}`);
  };
  const remove = (field: DraftField): void => {
    setRemoved({ field, at: fields.indexOf(field) });
    work.edit((draft) => removeField(draft, field.id));
  };
  // It may have come back by other means, as when all changes are discarded.
  const isBack = fields.some(({ id }) => id === removed?.field.id);
  const putBack = (): void => {
    if (removed) work.edit((draft) => ({ ...draft, fields: draft.fields.toSpliced(removed.at, 0, removed.field) }));
    setRemoved(undefined);
  };
  return (
    <section aria-label="Fields">
      {fields.length === 0 && (
        <Text c="dimmed" className={classes.none ?? ''}>
          No fields yet: only the email is asked for. Add the first one below.
        </Text>
      )}
      <ol className={classes.list}>
        {fields.map((field, index) => (
          <FieldCard
            key={field.id}
            field={field}
            work={work}
            isOpen={openId === field.id}
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
      {removed && !isBack && (
        <div className={classes.removed} role="status">
          “{removed.field.definition.label}” is removed.
          <Button variant="subtle" size="compact-sm" onClick={putBack}>
            Undo
          </Button>
        </div>
      )}
      <div className={classes.foot}>
        <Menu position="bottom-start">
          <Menu.Target>
            <Button variant="default" leftSection={<PlusIcon size={16} />} disabled={fields.length >= MAX_FIELDS}>
              Add a field
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {KINDS.map((kind) => (
              <Menu.Item
                key={kind}
                onClick={() => {
                  work.edit((draft) => addField(draft, kind));
                  setOpenId(Math.max(0, ...fields.map(({ id }) => id)) + 1);
                }}
              >
                {KIND_NAMES[kind]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Checkbox
          label="Refuse data that is not one of these fields"
          checked={rejectUnknown}
          onChange={({ currentTarget: { checked } }) => work.edit((draft) => ({ ...draft, rejectUnknown: checked }))}
        />
      </div>
      <p className="unseen" role="status">
        {said}
      </p>
    </section>
  );
}
