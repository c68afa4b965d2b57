import { Alert, Button, Checkbox, Group, type ModalProps, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useUnsaved } from '../../drafts/unsaved.ts';
import type { Texts } from '../../texts/en/index.ts';
import { t } from '../../texts/first-texts.ts';
import { Dialog } from '../form/dialog.tsx';
import { checkboxProps } from '../form/input.ts';
import { CopyButton } from './copy-button.tsx';
import classes from './one-time-secret.module.css';

/** The secrets that have texts of their own. */
type SecretName = keyof Texts['components']['copySecret'];

/**
 * A dialog that, once it shows a secret, closes only by the button below the secret. It opens again
 * for the secret of a request that was answered after the dialog was closed.
 */
export function SecretDialog({ opened, isShown, ...modal }: ModalProps & { isShown: boolean }) {
  useUnsaved((to) => isShown && to === undefined);
  useStay(isShown);
  return <Dialog {...modal} opened={opened || isShown} {...(isShown && STAYS_OPEN)} />;
}

const STAYS_OPEN = { closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false, isDirty: false };

/** Cancels Back and Forward within the dashboard, in browsers with the Navigation API. */
function useStay(isActive: boolean): void {
  useEffect(() => {
    if (!isActive || !('navigation' in window)) return;
    const stay = (event: NavigateEvent): void => {
      if (event.navigationType === 'traverse') event.preventDefault();
    };
    navigation.addEventListener('navigate', stay);
    return () => navigation.removeEventListener('navigate', stay);
  }, [isActive]);
}

interface OneTimeSecretProps extends Omit<SavedProps, 'name' | 'children'> {
  name: SecretName;
  text: string;
  /** Where to save it, and what to do after a loss. */
  warning: ReactNode;
  /** How to use it. */
  example?: ReactNode;
  /** Its purpose. */
  children: ReactNode;
}

/** Shows a secret once. */
export function OneTimeSecret({ name, text, warning, example, children, ...saved }: OneTimeSecretProps) {
  return (
    <Stack>
      {children}
      <SecretText text={text} name={name} />
      {example}
      <Saved name={name} {...saved}>
        {warning}
      </Saved>
    </Stack>
  );
}

interface SecretTextProps {
  name: SecretName;
  text: string;
  /** The secret as it is easier to read. */
  shown?: string | undefined;
}

/** A secret with a button that copies it. */
export function SecretText({ text, name, shown = text }: SecretTextProps) {
  return (
    <div className={classes.box}>
      <code className={classes.text} data-secret>
        {shown}
      </code>
      <CopyButton text={text} label={t.components.copySecret[name]} />
    </div>
  );
}

interface SavedProps {
  name: keyof Texts['components']['savedSecret'];
  /** The label of the button that closes the dialog. */
  done?: string | undefined;
  onClose: () => void;
  /** Where to save it. */
  children: ReactNode;
}

/** The end of a dialog with a secret; its button needs a confirmation that the secret was saved. */
export function Saved({ name, done = t.components.done, onClose, children }: SavedProps) {
  const [isSaved, setSaved] = useState(false);
  return (
    <>
      <Alert color="yellow" title={t.components.secretOnce}>
        {children}
      </Alert>
      <Checkbox label={t.components.savedSecret[name]} {...checkboxProps(isSaved, setSaved)} />
      <Group justify="flex-end">
        <Button disabled={!isSaved} onClick={onClose}>
          {done}
        </Button>
      </Group>
    </>
  );
}
