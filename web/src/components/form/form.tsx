import { Button, Group, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ComponentProps, createContext, type ReactNode, useContext } from 'react';
import { t } from '../../texts/first-texts.ts';
import classes from './dialog.module.css';
import { Problem } from './problem.tsx';

/** The state of a request that a dialog sends. */
export type Sending = Pick<UseMutationResult, 'isPending' | 'error'>;

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  onSubmit: () => void;
}

/** A form that the page sends, not the browser. */
export function Form({ onSubmit, ...form }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      {...form}
    />
  );
}

/** What the dialog of a form shows above its buttons. */
export const DialogNotice = createContext<ReactNode>(null);

interface DialogFormProps extends FormProps {
  /** The label of the button that submits the form. */
  action: string;
  isDangerous?: boolean;
  sending: Sending | undefined;
  /** Shown above the buttons. Null: the children show it. Default: the error of `sending`. */
  error?: Error | null;
  disabled?: boolean;
  onCancel: () => void;
}

/** The form of a dialog: its inputs, why it was refused, and its buttons. */
export function DialogForm(props: DialogFormProps) {
  const { action, isDangerous, sending, error = sending?.error ?? null, disabled, onCancel, children, ...form } = props;
  const notice = useContext(DialogNotice);
  return (
    <Form {...form}>
      <Stack>
        {children}
        <Problem error={error} />
        {notice}
        <Group justify="flex-end" className={classes.actions ?? ''}>
          <Button variant="default" onClick={onCancel}>
            {t.common.cancel}
          </Button>
          <Button
            type="submit"
            {...(isDangerous && { color: 'red.9' })}
            loading={sending?.isPending === true}
            disabled={disabled === true}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
