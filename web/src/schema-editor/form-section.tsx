import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { RightIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import classes from './field-form.module.css';
import type { FieldFormProps } from './field-form-props.ts';
import { OptionControl } from './option-control.tsx';
import { getKind } from './rules.ts';

/** Edits the form options of a field. Initially closed, unless one of them has a problem. */
export function FormSection({ definition, problems, onChange }: FieldFormProps) {
  const [wasOpened, setOpened] = useState(false);
  const options = Object.entries(getKind(definition.kind).formOptions);
  const isOpen = wasOpened || options.some(([name]) => problems[name] !== undefined);
  return (
    <>
      <UnstyledButton className={classes.sectionToggle ?? ''} aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
        <span className={isOpen ? classes.arrowOpen : classes.arrow}>
          <RightIcon size={14} />
        </span>
        {t.schemaEditor.form}
      </UnstyledButton>
      {isOpen &&
        options.map(([name, option]) => (
          <OptionControl
            key={name}
            name={name}
            option={option}
            definition={definition}
            value={definition[name]}
            problem={problems[name]}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
    </>
  );
}
