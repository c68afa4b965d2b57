import { ActionIcon, Badge, UnstyledButton } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { plainLabel } from '#src/features/display/marks.ts';
import { CopyIcon, DownIcon, GripIcon, RightIcon, TrashIcon, UpIcon } from '../../components/icons.tsx';
import { t } from '../../texts/texts.ts';
import { changeField, type DraftField, type LooseDefinition } from '../draft/draft.ts';
import { KIND_NAMES } from '../draft/field-texts.ts';
import { capitalize } from '../draft/messages.ts';
import { isOfStaff } from '../draft/rules.ts';
import type { DraftEditor } from '../draft/use-draft.ts';
import classes from './field-card.module.css';
import { FieldForm } from './field-form.tsx';

/** A menu returns the focus to its button 10 ms after it was closed. */
const AFTER_MENU_MS = 30;

interface FieldCardProps {
  field: DraftField;
  editor: DraftEditor;
  isOpen: boolean;
  /** Whether it was just added, and takes the focus. */
  isAdded: boolean;
  onFocused: () => void;
  onDuplicate: () => void;
  onToggle: () => void;
  isDragged: boolean;
  onDragStart: () => void;
  onDragOver: () => void;
  onDragEnd: () => void;
  /** Moves the field up (-1) or down (1). */
  onMove: (by: -1 | 1) => void;
  isFirst: boolean;
  isLast: boolean;
  onRemove: () => void;
}

export function FieldCard(props: FieldCardProps) {
  const { field, editor, isOpen, onToggle, onMove } = props;
  const { definition } = field;
  const problems = editor.checked.problems.get(field.id);
  const name = plainLabel(definition) || definition.key || t.schemaEditor.unnamed;
  // Only the handle starts a drag, so that text in the form stays selectable.
  const [isDraggable, setDraggable] = useState(false);
  const card = useFocusWhenAdded(props);
  return (
    <li
      ref={card}
      className={`${classes.card} ${props.isDragged ? classes.dragged : ''} ${problems ? classes.invalid : ''}`}
      draggable={isDraggable}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        props.onDragStart();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        props.onDragOver();
      }}
      onDragEnd={() => {
        setDraggable(false);
        props.onDragEnd();
      }}
    >
      <div className={classes.head}>
        <span
          className={classes.handle}
          aria-hidden="true"
          onPointerDown={() => setDraggable(true)}
          onPointerUp={() => setDraggable(false)}
        >
          <GripIcon />
        </span>
        <UnstyledButton
          className={classes.toggle ?? ''}
          aria-expanded={isOpen}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          onClick={onToggle}
          onKeyDown={(event) => {
            if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
            event.preventDefault();
            onMove(event.key === 'ArrowUp' ? -1 : 1);
          }}
        >
          <span className={isOpen ? classes.arrowOpen : classes.arrow}>
            <RightIcon size={14} />
          </span>
          <span className={classes.names}>
            <span className={classes.label}>{name}</span>
            <code className={classes.key}>{definition.key}</code>
          </span>
        </UnstyledButton>
        <div className={classes.badges}>
          {problems && <Badge color="red">{t.schemaEditor.invalid}</Badge>}
          {isOfStaff(definition) && <Badge color="indigo">{t.schemaEditor.staff}</Badge>}
          {definition.required && !isOfStaff(definition) && <Badge color="indigo">{t.schemaEditor.required}</Badge>}
          <Badge color="gray">{KIND_NAMES[definition.kind]}</Badge>
        </div>
        <Actions {...props} name={name} />
      </div>
      {problems && !isOpen && <p className={classes.problem}>{capitalize(Object.values(problems)[0])}</p>}
      {isOpen && (
        <FieldForm
          definition={definition}
          problems={problems ?? {}}
          earlier={earlierThan(editor.draft.fields, field)}
          onChange={(part) => editor.edit((draft) => changeField(draft, field.id, part))}
        />
      )}
    </li>
  );
}

function earlierThan(fields: readonly DraftField[], field: DraftField): LooseDefinition[] {
  return fields.slice(0, fields.indexOf(field)).map(({ definition }) => definition);
}

/** Moves the focus to the label of a card that was added open, else to its head, and shows it. */
function useFocusWhenAdded({ isAdded, isOpen, onFocused }: FieldCardProps) {
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isAdded) return;
    const timer = setTimeout(() => {
      const target = card.current?.querySelector<HTMLElement>(isOpen ? 'input' : 'button');
      target?.focus({ preventScroll: true });
      if (target instanceof HTMLInputElement) target.select();
      card.current?.scrollIntoView({ block: 'nearest' });
      onFocused();
    }, AFTER_MENU_MS);
    return () => clearTimeout(timer);
  }, [isAdded, isOpen, onFocused]);
  return card;
}

function Actions({ name, onDuplicate, onMove, isFirst, isLast, onRemove }: FieldCardProps & { name: string }) {
  return (
    <div className={classes.actions}>
      <Action name={t.schemaEditor.moveUp(name)} disabled={isFirst} onClick={() => onMove(-1)}>
        <UpIcon size={16} />
      </Action>
      <Action name={t.schemaEditor.moveDown(name)} disabled={isLast} onClick={() => onMove(1)}>
        <DownIcon size={16} />
      </Action>
      <Action name={t.schemaEditor.duplicate(name)} onClick={onDuplicate}>
        <CopyIcon size={16} />
      </Action>
      <Action name={t.schemaEditor.remove(name)} onClick={onRemove}>
        <TrashIcon size={16} />
      </Action>
    </div>
  );
}

interface ActionProps {
  name: string;
  disabled?: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

function Action({ name, disabled = false, onClick, children }: ActionProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={name}
      // The hundreds of tooltips of a long schema took most of the time of a key press.
      title={name}
      // `disabled` would remove the focus from the button while it is pressed by key.
      aria-disabled={disabled}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  );
}
