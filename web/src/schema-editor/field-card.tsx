import { ActionIcon, Badge, Tooltip, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { CopyIcon, DownIcon, GripIcon, RightIcon, TrashIcon, UpIcon } from '../components/icons.tsx';
import { changeField, type DraftField, duplicateField } from './draft.ts';
import classes from './field-card.module.css';
import { FieldForm, told } from './field-form.tsx';
import { KIND_NAMES } from './kind-names.ts';
import type { SchemaWork } from './use-work.ts';

interface FieldCardProps {
  field: DraftField;
  work: SchemaWork;
  isOpen: boolean;
  onToggle: () => void;
  isDragged: boolean;
  onDragStart: () => void;
  onDragOver: () => void;
  onDragEnd: () => void;
  /** By so many places. */
  onMove: (by: -1 | 1) => void;
  isFirst: boolean;
  isLast: boolean;
  onRemove: () => void;
}

export function FieldCard(props: FieldCardProps) {
  const { field, work, isOpen, onToggle, onMove } = props;
  const { definition } = field;
  const problems = work.checked.problems.get(field.id);
  const name = definition.label || definition.key || 'unnamed field';
  // Only the grip begins a drag, so that text in the form can still be selected.
  const [armed, setArmed] = useState(false);
  return (
    <li
      className={`${classes.card} ${props.isDragged ? classes.dragged : ''} ${problems ? classes.wrong : ''}`}
      draggable={armed}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        props.onDragStart();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        props.onDragOver();
      }}
      onDragEnd={() => {
        setArmed(false);
        props.onDragEnd();
      }}
    >
      <div className={classes.head}>
        <span
          className={classes.grip}
          aria-hidden="true"
          onPointerDown={() => setArmed(true)}
          onPointerUp={() => setArmed(false)}
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
          <span className={isOpen ? classes.turned : classes.arrow}>
            <RightIcon size={14} />
          </span>
          <span className={classes.names}>
            <span className={classes.label}>{name}</span>
            <code className={classes.key}>{definition.key}</code>
          </span>
        </UnstyledButton>
        <div className={classes.badges}>
          {problems && (
            <Badge variant="light" color="red" tt="none">
              to mend
            </Badge>
          )}
          {definition.required && (
            <Badge variant="light" color="indigo" tt="none">
              required
            </Badge>
          )}
          <Badge variant="light" color="gray" tt="none">
            {KIND_NAMES[definition.kind]}
          </Badge>
        </div>
        <Actions {...props} name={name} />
      </div>
      {problems && !isOpen && <p className={classes.problem}>{told(Object.values(problems)[0])}</p>}
      {isOpen && (
        <FieldForm
          definition={definition}
          problems={problems ?? {}}
          onChange={(part) => work.edit((draft) => changeField(draft, field.id, part))}
        />
      )}
    </li>
  );
}

function Actions({ field, work, name, onMove, isFirst, isLast, onRemove }: FieldCardProps & { name: string }) {
  return (
    <div className={classes.actions}>
      <Action name={`Move ${name} up`} disabled={isFirst} onClick={() => onMove(-1)}>
        <UpIcon size={16} />
      </Action>
      <Action name={`Move ${name} down`} disabled={isLast} onClick={() => onMove(1)}>
        <DownIcon size={16} />
      </Action>
      <Action name={`Duplicate ${name}`} onClick={() => work.edit((draft) => duplicateField(draft, field.id))}>
        <CopyIcon size={16} />
      </Action>
      <Action name={`Remove ${name}`} onClick={onRemove}>
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
    <Tooltip label={name}>
      {/* A button that is switched off loses the focus, and with it the next press of the key. */}
      <ActionIcon variant="subtle" color="gray" aria-label={name} aria-disabled={disabled} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
