import { ActionIcon, Badge } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyIcon, DownIcon, GripIcon, PageBreakIcon, TrashIcon, UpIcon } from '../../components/icons.tsx';
import { t } from '../../texts/texts.ts';
import { conditionTexts } from '../draft/condition-texts.ts';
import type { DraftField } from '../draft/draft.ts';
import { KIND_NAMES } from '../draft/field-texts.ts';
import { capitalize } from '../draft/messages.ts';
import { isOfStaff } from '../draft/rules.ts';
import { fieldLabel } from '../field/field-label.ts';
import classes from './canvas.module.css';

/** What can be done with a field. */
interface FieldActions {
  onSelect: () => void;
  onDragStart: () => void;
  onDragOver: () => void;
  onDragEnd: () => void;
  /** Moves the field up (-1) or down (1). */
  onMove: (by: -1 | 1) => void;
  onDuplicate: () => void;
  onRemove: () => void;
  /** Begins a page with the field; undefined where one begins, or where there can be no more. */
  onBeginPage: (() => void) | undefined;
}

interface FieldRowProps {
  field: DraftField;
  problems: Readonly<Record<string, string>> | undefined;
  isSelected: boolean;
  isDragged: boolean;
  isFirst: boolean;
  isLast: boolean;
  actions: FieldActions;
  /** The field as visitors see it; undefined: it is not shown to them, or is invalid. */
  children: ReactNode;
  /** The properties of the field, where there is no room beside the form. */
  panel: ReactNode;
}

/**
 * A field of the form that is edited. The button over it selects it, and moves it by Alt and arrow
 * keys.
 */
export function FieldRow(props: FieldRowProps) {
  const { field, problems, isSelected, actions } = props;
  const { definition } = field;
  const name = fieldLabel(definition);
  // Only the handle starts a drag, so that text in the form stays selectable.
  const [isDraggable, setDraggable] = useState(false);
  const isHidden = definition.hidden === true || definition.source !== undefined;
  return (
    <li
      className={classes.row}
      data-field={field.id}
      data-selected={isSelected || undefined}
      data-dragged={props.isDragged || undefined}
      data-invalid={problems !== undefined || undefined}
      draggable={isDraggable}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        actions.onDragStart();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        actions.onDragOver();
      }}
      onDragEnd={() => {
        setDraggable(false);
        actions.onDragEnd();
      }}
    >
      <div className={classes.field}>
        <button
          type="button"
          className={classes.select}
          aria-label={`${name} (${definition.key})`}
          aria-expanded={isSelected}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          onClick={actions.onSelect}
          onKeyDown={(event) => {
            if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
            event.preventDefault();
            actions.onMove(event.key === 'ArrowUp' ? -1 : 1);
          }}
        />
        {props.children || (
          <p className={classes.absent}>
            {name} <span>· {KIND_NAMES[definition.kind]}</span>
          </p>
        )}
        {problems && !isSelected && <p className={classes.problem}>{capitalize(Object.values(problems)[0])}</p>}
        <div className={classes.tools}>
          <span
            className={classes.handle}
            aria-hidden="true"
            onPointerDown={() => setDraggable(true)}
            onPointerUp={() => setDraggable(false)}
          >
            <GripIcon />
          </span>
          {problems && !isSelected && <Badge color="red">{t.schemaEditor.invalid}</Badge>}
          {isOfStaff(definition) && <Badge color="indigo">{t.schemaEditor.staff}</Badge>}
          {isHidden && <Badge color="gray">{t.schemaEditor.hidden}</Badge>}
          <code className={classes.key}>{definition.key}</code>
          <Action name={t.schemaEditor.moveUp(name)} disabled={props.isFirst} onClick={() => actions.onMove(-1)}>
            <UpIcon size={16} />
          </Action>
          <Action name={t.schemaEditor.moveDown(name)} disabled={props.isLast} onClick={() => actions.onMove(1)}>
            <DownIcon size={16} />
          </Action>
          {actions.onBeginPage && (
            <Action name={conditionTexts.beginPage(name)} onClick={actions.onBeginPage}>
              <PageBreakIcon size={16} />
            </Action>
          )}
          <Action name={t.schemaEditor.duplicate(name)} onClick={actions.onDuplicate}>
            <CopyIcon size={16} />
          </Action>
          <Action name={t.schemaEditor.remove(name)} onClick={actions.onRemove}>
            <TrashIcon size={16} />
          </Action>
        </div>
      </div>
      {props.panel}
    </li>
  );
}

interface ActionProps {
  name: string;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Action({ name, disabled = false, onClick, children }: ActionProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
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
